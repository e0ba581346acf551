/// The values that something really had, one after the other, against which it can be checked what observers were told.
///
/// ```swift
/// let actions = try history.check(initialState: 0, reduce: count)
/// let path = ObservedPath(of: actions, from: 0, part: { $0 }, reduce: count)
/// try path.check(told)
/// ```
public struct ObservedPath<Value: Equatable & Sendable>: Sendable {
    /// The values, one for each turn; the first is that before all turns.
    public let values: [Value]

    /// Creates a path.
    ///
    /// Traps if there are none: there is always a value before all turns.
    ///
    /// - Parameter values: One for each turn, in order; neighbours may be equal.
    public init(_ values: [Value]) {
        guard !values.isEmpty else {
            fatalError("An ObservedPath begins with the value before all turns, and got no value.")
        }
        self.values = values
    }

    /// Creates the path that actions lead along, each of them a turn of its own.
    ///
    /// - Parameters:
    ///   - actions: The actions in the order in which they were reduced.
    ///   - initialState: The state before the first action.
    ///   - part: What was observed of the state.
    ///   - reduce: What an action does to the state.
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

    /// Checks what an observer was told: values of the path, in its order, never two equal ones in a row, and the last
    /// one in the end.
    ///
    /// - Parameters:
    ///   - told: What it was told, in order.
    ///   - turn: How many turns had certainly been taken when it began: the first value is not from before.
    ///   - isGapless: Whether it should have been told every value from its first one on.
    ///   - isComplete: Whether it should have been told the last value.
    /// - Throws: an ``ObserverViolation``.
    /// - Complexity: O(*n* + *m*) with *n* values in the path of which *m* were told, if nothing is wrong; O(*n* *m*)
    ///   with `isGapless` and without `isComplete`, if the first value that was told is one of many equal ones.
    public func check(
        _ told: [Value],
        sinceTurn turn: Int = 0,
        isGapless: Bool = false,
        isComplete: Bool = true
    ) throws(ObserverViolation<Value>) {
        let turns = values[min(turn, values.count - 1)...]
        // Equal neighbours are one value to an observer.
        var distinct: [Value] = []
        for value in turns where distinct.last != value { distinct.append(value) }

        var place = 0
        for (index, value) in told.enumerated() {
            if index > 0 && told[index - 1] == value { throw .duplicate(value, at: index) }
            guard let found = distinct[place...].firstIndex(of: value) else {
                throw values.contains(value) ? .backwards(value, at: index) : .invented(value, at: index)
            }
            place = found + 1
        }
        if isComplete, let last = distinct.last, told.last != last { throw .missedLast(last, told: told.last) }
        if isGapless { try checkGaps(in: told, distinct, isComplete) }
    }

    private func checkGaps(
        in told: [Value],
        _ distinct: [Value],
        _ isComplete: Bool
    ) throws(ObserverViolation<Value>) {
        if isComplete, distinct.suffix(told.count) == told[...] { return }
        // A value can occur several times, so there can be several places at which the observer may have begun.
        var furthest: (count: Int, missed: Value)?
        for start in distinct.indices where distinct[start] == told.first {
            let rest = distinct[start...]
            let count = zip(rest, told).prefix { $0 == $1 }.count
            if count == told.count && (!isComplete || rest.count == told.count) { return }
            if count < rest.count, count >= furthest?.count ?? 0 { furthest = (count, rest[start + count]) }
        }
        if let furthest { throw .missed(furthest.missed, at: furthest.count) }
    }
}
