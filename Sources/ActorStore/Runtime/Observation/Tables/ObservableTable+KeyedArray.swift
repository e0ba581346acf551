import TreeCollections

extension KeyedArray: ObservableTable where Element: Equatable {

    /// The element with an identity, in O(1).
    @inlinable
    public func value(forKey key: Element.ID) -> Element? { self[id: key] }

    /// By identity, in O(*n*), unless both are the same storage; an element that only moves has not changed.
    @inlinable
    public func visitDifference(
        from older: Self,
        _ body: (_ key: Element.ID, _ oldValue: Element?, _ newValue: Element?) -> Void
    ) {
        if areOneStorage(self, older) { return }
        for element in self {
            let oldValue = older[id: element.id]
            if oldValue != element { body(element.id, oldValue, element) }
        }
        for oldValue in older where !contains(id: oldValue.id) { body(oldValue.id, oldValue, nil) }
    }
}
