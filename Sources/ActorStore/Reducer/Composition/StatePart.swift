/// The part of a state that a child's reducer changes, found by a key path.
@usableFromInline
package struct StatePart<Root, Value>: Sendable {
    @usableFromInline let keyPath: WritableKeyPath<Root, Value> & Sendable
    /// Where it is stored; nil if it is computed, observed, or behind a reference.
    @usableFromInline let stored: StoredPart<Root, Value>?

    @inlinable
    package init(_ keyPath: WritableKeyPath<Root, Value> & Sendable) {
        self.keyPath = keyPath
        stored = StoredPart(keyPath)
    }

    /// Gives `body` the part to change in place.
    ///
    /// Through the place where it is stored, because a key path that is known only at run time costs 100 times that.
    @inlinable
    @inline(__always)
    package func modify<Result>(_ root: inout Root, _ body: (inout Value) -> Result) -> Result {
        guard let stored else { return body(&root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { body(&stored.place(in: $0).pointee) }
    }

    /// Lets `body` look at the part. A part that is computed or observed is not set by it, as it is by
    /// ``modify(_:_:)``: to look at a child changes nothing.
    @inlinable
    @inline(__always)
    package func read<Result>(_ root: inout Root, _ body: (Value) -> Result) -> Result {
        guard let stored else { return body(root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { body(stored.place(in: $0).pointee) }
    }

    /// How an effect of the child is told from those of others.
    @usableFromInline package var step: EffectStep { .part(keyPath) }
}

extension StoredPart {
    /// Where the part is in a root.
    @inlinable
    @inline(__always)
    func place(in root: UnsafeMutablePointer<Root>) -> UnsafeMutablePointer<Value> {
        // Sound: `offset(of:)` gives the place at which a `Value` is stored in every `Root`, and which may be written
        // to if the key path is writable, as it says itself. The pointer is used only while the root is exclusively
        // accessed.
        UnsafeMutableRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self)
    }
}
