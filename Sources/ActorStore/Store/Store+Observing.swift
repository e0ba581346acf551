extension Store {
    /// An observation as a sequence. It does not keep the store alive.
    @inlinable
    nonisolated func sequence<Value: Sendable>(
        of observed: Observed<State, Value>,
        _ buffering: BufferingPolicy,
        _ source: SourceLocation
    ) -> StoreSequence<Value> {
        let root = root
        let place = WeakStatePlace(place(of: observed.extent))
        return StoreSequence { [weak root] in
            guard let root, let place = place.place else { return .ended }
            return root.subscribe(to: observed, in: place, policy: buffering, at: source)
        }
    }

    /// The same as a subscription.
    @inlinable
    nonisolated func subscription<Value: Sendable>(
        to observed: Observed<State, Value>,
        _ buffering: BufferingPolicy,
        _ source: SourceLocation
    ) -> Subscription<Value> {
        root.subscribe(to: observed, in: place(of: observed.extent), policy: buffering, at: source)
    }

    /// An observation as a closure that is called in the store's turn.
    @inlinable
    nonisolated func observation<Value: Sendable>(
        of observed: Observed<State, Value>,
        _ source: SourceLocation,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        root.observe(observed, in: place(of: observed.extent), at: source, body)
    }

    /// What the stores of the tree share.
    @inlinable nonisolated var root: TreeRoot {
        switch backing {
        case .root(let core): core
        case .view(let door): door.root
        }
    }

    /// Where a part of the state is.
    @inlinable
    nonisolated func place(of extent: ObservedExtent) -> StatePlace {
        switch backing {
        case .root(let core): StatePlace(source: core)
        case .view(let door): door.place(of: extent)
        }
    }
}
