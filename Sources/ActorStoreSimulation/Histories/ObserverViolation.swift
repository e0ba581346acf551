import ActorStore

/// A wrong delivery to an observer.
public enum ObserverViolation<Value: Equatable & Sendable>: Error, Equatable {
    /// The same value twice in a row.
    case duplicate(Value, at: Int)
    /// A value that the state had, but not since the previous delivery, or not since the observation began.
    case backwards(Value, at: Int)
    /// A value that the state never had.
    case invented(Value, at: Int)
    /// A missing value, between received values or after them, although the observer should have received all.
    case missed(Value, at: Int)
    /// The last value is missing.
    case missedLast(Value, received: Value?)
}

extension ObserverViolation: CustomStringConvertible {
    /// The violation, the value and its position, without `Redactable` values.
    public var description: String {
        switch self {
        case .duplicate(let value, let index):
            "An observer received \(text(value)) twice in a row, the second time at \(index)."
        case .backwards(let value, let index):
            "An observer received \(text(value)) at \(index), which was outdated by then."
        case .invented(let value, let index):
            "An observer received \(text(value)) at \(index), which the state never had."
        case .missed(let value, let index):
            "An observer did not receive \(text(value)), which should have come at \(index)."
        case .missedLast(let value, let received):
            "The last value is \(text(value)), but an observer last received \(received.map(text) ?? "nothing")."
        }
    }

    private func text(_ value: Value) -> String { ValueDescription(of: value).line }
}
