import ActorStore

/// Storage for a ``SharedValue`` between runs of the program.
public protocol PersistenceStrategy<Value>: Sendable {
    /// The type of the stored value.
    associatedtype Value: Sendable

    /// Returns the saved value, or nil if no value was ever saved.
    func load() async throws -> Value?

    /// Saves a value. It is called with one value at a time, each newer than the last one that was saved, but not with
    /// every value: changes made while a value is being saved are skipped, except the newest. It must not wait for
    /// ``SharedValue/save(isolation:)`` of its own value, which waits for it.
    func save(_ value: Value) async throws
}

/// Storage in memory, for tests, and for values that need not outlive the process.
public final class MemoryPersistence<Value: Sendable>: PersistenceStrategy {
    private let kept: LockedValue<Value?>

    /// Creates storage in memory.
    ///
    /// - Parameter value: The stored value at the beginning; nil if none.
    public init(_ value: Value? = nil) {
        kept = LockedValue(value)
    }

    /// The value that was saved last.
    public var value: Value? { kept.withLock { $0 } }

    /// Returns the value that was saved last.
    public func load() async throws -> Value? { value }

    /// Saves a value.
    public func save(_ value: Value) async throws {
        // Moved out of the lock, because releasing the value can run user code.
        let previous = kept.withLock { kept in
            defer { kept = value }
            return kept
        }
        withExtendedLifetime(previous) {}
    }
}
