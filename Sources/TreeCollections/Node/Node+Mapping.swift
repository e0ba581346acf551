extension NodeView {
    /// Returns a tree of the same shape with transformed values. It does not hash the keys.
    @inlinable
    func mapValues<Mapped>(_ transform: (Value) throws -> Mapped) rethrows -> Node<Key, Mapped> {
        typealias MappedView = NodeView<Key, Mapped>
        let node = Node<Key, Mapped>.allocate(
            bytes: entryCount * MappedView.entryBytes + childCount * MappedView.childBytes
        )
        // The counts grow with the contents, so that an error leaves a node that can be released.
        let view = MappedView(node)
        for rank in 0..<entryCount {
            let source = entry(at: rank)
            let mapped = try transform(source.pointee.value)
            view.entry(at: rank).initialize(to: (source.pointee.key, mapped))
            view.header.pointee.entryCount += 1
        }
        view.header.pointee.entryMap = entryMap
        var rest = childMap
        for rank in 0..<childCount {
            let mapped = try NodeView(child(at: rank)).mapValues(transform)
            view.child(at: rank).initialize(to: mapped)
            let bit = rest & (0 &- rest)
            view.header.pointee.childMap |= bit
            rest ^= bit
        }
        return node
    }
}
