/// Those who use a child hold on to it; when the last of them goes, the child ends, after what was accepted before.
@usableFromInline
final class ChildLifetime: Sendable {
    private let node: any StoreNode

    @usableFromInline
    init(_ node: any StoreNode) {
        self.node = node
    }

    deinit {
        let (node, root) = (node, node.root)
        root.inTurn { root.end(node) }
    }
}
