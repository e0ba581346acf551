/// The identity of an effect, an observer or a reducer, as given by a user of the library. Two identities are equal if
/// their values have the same type and are equal.
///
/// `AnyHashable` is not exact enough, because it treats `1`, `1 as UInt8` and `1.0` as equal.
@usableFromInline
package struct ExactIdentity: Hashable, Sendable {
    @usableFromInline package let value: any Hashable & Sendable

    /// Creates the identity of a value as it is, even if the value is itself an identity or an optional.
    @usableFromInline
    package init(_ value: any Hashable & Sendable) { self.value = value }

    /// Creates the identity of the wrapped value, or of the value itself if it wraps nothing.
    init(unwrapping value: any Hashable & Sendable) {
        var value = value
        // A cast to a protocol costs a thousand instructions, and the most common identities wrap nothing.
        if type(of: value) == String.self || type(of: value) == Int.self {
            self.value = value
            return
        }
        while let inner = (value as? any IdentityWrapper)?.wrappedIdentity { value = inner }
        self.value = value
    }

    @usableFromInline
    package static func == (left: ExactIdentity, right: ExactIdentity) -> Bool { left.value.isSame(as: right.value) }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Hashable {
    /// Returns whether another value has the same type as this one, and is equal.
    package func isSame(as other: any Hashable) -> Bool {
        // Casting is faster for a value that has been taken out of its existential.
        func isSame<Other: Hashable>(_ other: Other) -> Bool {
            // A cast alone is not enough: it unwraps and wraps optionals, and accepts a subclass.
            guard type(of: other) == type(of: self), let other = other as? Self else { return false }
            return self == other
        }
        return isSame(other)
    }
}

/// A value whose identity is that of the value in it, if there is one.
protocol IdentityWrapper {
    var wrappedIdentity: (any Hashable & Sendable)? { get }
}

extension Optional: IdentityWrapper where Wrapped: Hashable {
    /// Swift unwraps an optional that is passed as `id` of `Effect.run`, which is optional itself, and does not unwrap
    /// it as `id` of `Effect.cancel`. Both must refer to the same work.
    var wrappedIdentity: (any Hashable & Sendable)? {
        // Sound: only `ExactIdentity` calls this, with an optional that is Sendable, so its value is Sendable, too. The
        // layout is that of `any Hashable`, because a marker protocol has no witness table.
        map { unsafeBitCast($0 as any Hashable, to: (any Hashable & Sendable).self) }
    }
}
