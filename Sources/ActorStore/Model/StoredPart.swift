/// Where in a root's memory a stored part lies, found once from its key path.
///
/// Reading through this costs a load, reading through a key path that is known only at run time about 100 times that.
@usableFromInline
package struct StoredPart<Root, Value>: Sendable {
    @usableFromInline let offset: Int

    /// nil if the part is not stored inline: computed, observed by `didSet`, behind a class or an optional.
    @inlinable
    package init?(_ keyPath: KeyPath<Root, Value>) {
        guard let offset = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
        self.offset = offset
    }

    /// A copy of the part.
    ///
    /// - Parameter root: the address of a `Root`.
    @inlinable
    @inline(__always)
    package func load(from root: UnsafeRawPointer) -> Value {
        // Sound: `offset(of:)` gives the place at which a `Value` is stored in every `Root`.
        root.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
    }
}
