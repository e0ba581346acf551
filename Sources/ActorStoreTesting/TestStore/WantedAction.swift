import ActorStore

/// The action that a step of a ``TestStore`` expects to receive.
struct WantedAction<Action: Sendable, Value> {
    /// The name of the action in failures.
    let title: String
    /// The action itself, if it is known, for a difference.
    var expected: Action?
    /// Returns the result of the step for a matching action; nil for any other action.
    let extract: (Action) -> Value?
}

extension TestStore {
    func receive<Value>(
        _ wanted: WantedAction<Action, Value>,
        _ timeout: Duration?,
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ change: ((inout State) throws -> Void)?
    ) async -> Value? {
        let isExhaustive = exhaustivity == .on
        let isThere: (TestStoreLog<State, Action>) -> Bool = { log in
            log.received.contains { !$0.isLate && (isExhaustive || wanted.extract($0.action) != nil) }
        }
        if let timeout {
            _ = await session.wait(atMost: timeout, location, until: isThere)
        } else {
            _ = await session.waitUntilIdle(store, atMost: self.timeout, location, orUntil: isThere)
        }
        defer { reportProblems(at: location) }
        let received = session.take { $0.received }
        let place = received.firstIndex { !$0.isLate && (isExhaustive || wanted.extract($0.action) != nil) }
        guard let place else {
            let known = received.filter { !$0.isLate }
            let others = known.isEmpty ? "" : "\n\nOther received actions:\n" + list(known)
            TestFailure.report(
                "Expected to receive \(wanted.title), but it did not come. "
                    + inFlight(orElse: "No effect runs that could send it.") + others,
                at: location
            )
            return nil
        }
        let reductions = session.take { $0.takeReceived(place - received.startIndex + 1) }
        passOver(reductions.dropLast(), at: location)
        let reduction = received[place]
        guard let value = wanted.extract(reduction.action) else {
            state = reduction.state
            TestFailure.report(unexpected(reduction.action, instead: wanted), at: location)
            return nil
        }
        check(change, from: state, to: reduction.state, after: describe(reduction.action), at: location)
        return value
    }

    private func unexpected<Value>(_ action: Action, instead wanted: WantedAction<Action, Value>) -> String {
        let message = "Expected to receive \(wanted.title), but received \(describe(action))."
        guard let expected = wanted.expected else { return message }
        return message + difference(from: expected, to: action)
    }
}
