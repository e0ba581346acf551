import ActorStore

/// What an observer was told wrongly.
public enum ObserverViolation<Value: Equatable & Sendable>: Error, Equatable {
    /// The same value twice in a row.
    case duplicate(Value, at: Int)
    /// A value that there had been, but not since the one before it, or not since the observation began.
    case backwards(Value, at: Int)
    /// A value that there never was.
    case invented(Value, at: Int)
    /// Not a value that came between others that it was told, or after them, although it should have been told all.
    case missed(Value, at: Int)
    /// Not the last value.
    case missedLast(Value, told: Value?)
}

extension ObserverViolation: CustomStringConvertible {
    /// Names the violation, the value and its place. `Redactable` values are not shown.
    public var description: String {
        switch self {
        case .duplicate(let value, let index):
            "An observer was told \(text(value)) twice in a row, the second time at \(index)."
        case .backwards(let value, let index):
            "An observer was told \(text(value)) at \(index), which was over by then."
        case .invented(let value, let index):
            "An observer was told \(text(value)) at \(index), which there never was."
        case .missed(let value, let index):
            "An observer was not told \(text(value)), which should have come at \(index)."
        case .missedLast(let value, let told):
            "The last value is \(text(value)), and an observer was last told \(told.map(text) ?? "nothing")."
        }
    }

    private func text(_ value: Value) -> String { ValueDescription(of: value).line }
}
