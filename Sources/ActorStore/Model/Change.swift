/// A part of a state before and after it changed.
public struct Change<Value: Sendable>: Sendable {
    /// What the observer was told before; nil the first time.
    public let old: Value?
    /// What it is now.
    public let new: Value
    /// How many actions the store had reduced when the change was published.
    public let revision: UInt64
}

extension Change: Equatable where Value: Equatable {}
