import ActorStore

/// Where a ``SharedValue`` value is kept when the program does not run.
public protocol PersistenceStrategy<Value>: Sendable {
    /// What is kept.
    associatedtype Value: Sendable

    /// Reads the value; nil if none was ever saved.
    func load() async throws -> Value?

    /// Keeps a value. It is called with one value at a time, each newer than the one before, and not for all: those
    /// that changed while one was being saved are left out. It must not wait for ``SharedValue/save(isolation:)`` of
    /// its own value, which waits for it.
    func save(_ value: Value) async throws
}

/// Keeps a value in memory, for tests, and for what need not outlive the process.
public final class MemoryPersistence<Value: Sendable>: PersistenceStrategy {
    private let kept: LockedValue<Value?>

    /// Creates a place for a value.
    ///
    /// - Parameter value: What is there from the beginning.
    public init(_ value: Value? = nil) {
        kept = LockedValue(value)
    }

    /// What was saved last.
    public var value: Value? { kept.withLock { $0 } }

    /// What was saved last.
    public func load() async throws -> Value? { value }

    /// Keeps a value.
    public func save(_ value: Value) async throws {
        // Carried out of the lock, because releasing it can run code of users.
        let previous = kept.withLock { kept in
            defer { kept = value }
            return kept
        }
        withExtendedLifetime(previous) {}
    }
}
