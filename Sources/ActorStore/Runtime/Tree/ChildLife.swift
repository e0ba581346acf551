/// Those who use a child hold on to it; when the last of them goes, the child ends, after what was accepted before.
@usableFromInline
final class ChildLife: Sendable {
    private let node: TreeNode

    @usableFromInline
    init(_ node: TreeNode) {
        self.node = node
    }

    deinit {
        let node = node
        node.root.inTurn { node.end() }
    }
}
