/// The values that a state had, one after the other. Use it to check the values that observers received.
///
/// ```swift
/// let actions = try history.check(initialState: 0, reduce: count)
/// let path = ObservedPath(of: actions, from: 0, part: { $0 }, reduce: count)
/// try path.check(received)
/// ```
public struct ObservedPath<Value: Equatable & Sendable>: Sendable {
    /// The values, one for each turn; the first is the value before all turns.
    public let values: [Value]

    /// Creates a path.
    ///
    /// Traps if `values` is empty: there is always a value before all turns.
    ///
    /// - Parameter values: One value for each turn, in order; neighbours may be equal.
    public init(_ values: [Value]) {
        guard !values.isEmpty else {
            fatalError("An ObservedPath begins with the value before all turns, and got no value.")
        }
        self.values = values
    }

    /// Creates the path of a sequence of actions, each reduced in its own turn.
    ///
    /// - Parameters:
    ///   - actions: The actions in the order in which they were reduced.
    ///   - initialState: The state before the first action.
    ///   - part: Returns the observed part of the state.
    ///   - reduce: Changes the state by an action.
    /// - Complexity: O(n), where n is the number of actions.
    public init<State, Action>(
        of actions: [Action],
        from initialState: State,
        part: (State) -> Value,
        reduce: (_ state: inout State, _ action: Action) -> Void
    ) {
        var state = initialState
        var values = [part(state)]
        for action in actions {
            reduce(&state, action)
            values.append(part(state))
        }
        self.init(values)
    }

    /// Checks the values that an observer received: values of the path, in its order, never two equal ones in a row,
    /// and the last one at the end.
    ///
    /// - Parameters:
    ///   - received: The received values, in order.
    ///   - turn: The number of turns that had certainly ended when the observation began: the first value is not older.
    ///   - isGapless: Whether it should have received every value from its first one on.
    ///   - isComplete: Whether it should have received the last value.
    /// - Throws: An ``ObserverViolation``.
    /// - Complexity: O(*n* + *m*) with *n* values in the path and *m* received values, if there is no violation; O(*n*
    ///   *m*) with `isGapless` and without `isComplete`, if the first received value is one of many equal ones.
    public func check(
        _ received: [Value],
        sinceTurn turn: Int = 0,
        isGapless: Bool = false,
        isComplete: Bool = true
    ) throws(ObserverViolation<Value>) {
        let turns = values[min(turn, values.count - 1)...]
        // Equal neighbours are one value to an observer.
        var distinct: [Value] = []
        for value in turns where distinct.last != value { distinct.append(value) }

        var place = 0
        for (index, value) in received.enumerated() {
            if index > 0 && received[index - 1] == value { throw .duplicate(value, at: index) }
            guard let found = distinct[place...].firstIndex(of: value) else {
                throw values.contains(value) ? .backwards(value, at: index) : .invented(value, at: index)
            }
            place = found + 1
        }
        if isComplete, let last = distinct.last, received.last != last {
            throw .missedLast(last, received: received.last)
        }
        if isGapless { try checkGaps(in: received, distinct, isComplete) }
    }

    private func checkGaps(
        in received: [Value],
        _ distinct: [Value],
        _ isComplete: Bool
    ) throws(ObserverViolation<Value>) {
        if isComplete, distinct.suffix(received.count) == received[...] { return }
        // A value can occur several times, so the observation may have begun at one of several positions.
        var furthest: (count: Int, missed: Value)?
        for start in distinct.indices where distinct[start] == received.first {
            let rest = distinct[start...]
            let count = zip(rest, received).prefix { $0 == $1 }.count
            if count == received.count && (!isComplete || rest.count == received.count) { return }
            if count < rest.count, count >= furthest?.count ?? 0 { furthest = (count, rest[start + count]) }
        }
        if let furthest { throw .missed(furthest.missed, at: furthest.count) }
    }
}
