extension CasePath {
    /// The path to a case of the value of this path's case.
    ///
    /// ```swift
    /// let step = CasePath(AppAction.counter).appending(path: CasePath(Counter.Action.step))
    /// ```
    @inlinable
    public func appending<NestedValue>(path: CasePath<Value, NestedValue>) -> CasePath<Root, NestedValue> {
        CasePath<Root, NestedValue>(
            embed: { embed(path.embed($0)) },
            extract: { extract(from: $0).flatMap(path.extract) }
        )
    }
}

extension CasePath where Root == Value {
    /// The path from a root to itself, which always matches.
    @inlinable public static var identity: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}

extension CasePath where Root == Value? {
    /// The path to what an optional wraps.
    @inlinable public static var some: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}
