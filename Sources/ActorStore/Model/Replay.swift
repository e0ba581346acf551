/// What an observer is told first.
public enum Replay: Sendable, Equatable {
    /// The value at the moment at which it begins.
    case current
    /// Nothing: only what changes after that moment.
    case none
}
