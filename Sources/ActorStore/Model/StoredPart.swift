/// The offset of a stored part in a root's memory, determined once from its key path.
///
/// Reading through the offset costs a load; reading through a key path that is known only at run time costs about 100
/// times as much.
@usableFromInline
package struct StoredPart<Root, Value>: Sendable {
    @usableFromInline let offset: Int

    /// Returns nil if the part is not stored inline: if it is computed, observed by `didSet`, or behind a class or an
    /// optional.
    @inlinable
    package init?(_ keyPath: KeyPath<Root, Value>) {
        guard let offset = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
        self.offset = offset
    }

    /// Returns a copy of the part.
    ///
    /// - Parameter root: The address of a `Root`.
    @inlinable
    @inline(__always)
    package func load(from root: UnsafeRawPointer) -> Value {
        // Sound: `offset(of:)` returns the offset at which a `Value` is stored in every `Root`.
        root.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
    }
}
