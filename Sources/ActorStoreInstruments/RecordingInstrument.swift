import ActorStore

/// An instrument that keeps the last events in memory, for tests and for diagnosing failures.
///
/// ```swift
/// let recording = RecordingInstrument(capacity: 200)
/// store.use(recording)
/// for event in recording.events { print(event) }
/// ```
///
/// It retains the actions of its events, and hides nothing: describe actions that can be `Redactable` by
/// `String(redacting:)` before you print them. Several stores can use it, and it can be read from any thread.
public final class RecordingInstrument: StoreInstrument {
    private let capacity: Int
    private let storage = LockedValue(Storage())

    private struct Storage {
        var events: [InstrumentEvent] = []
        /// The index of the oldest event, once the capacity is reached.
        var oldest = 0
        var discarded = 0
    }

    /// Creates an instrument that has recorded nothing.
    ///
    /// - Parameter capacity: The maximum number of events; the oldest are replaced by new ones. Traps if it is less
    ///   than 1.
    public init(capacity: Int = 1_000) {
        guard capacity >= 1 else {
            fatalError("RecordingInstrument(capacity: \(capacity)) has no room for an event. Pass at least 1.")
        }
        self.capacity = capacity
    }

    /// The recorded events, the oldest first.
    ///
    /// - Complexity: O(*n*).
    public var events: [InstrumentEvent] {
        storage.withLock { Array($0.events[$0.oldest...] + $0.events[..<$0.oldest]) }
    }

    /// The number of events that were discarded because the capacity was reached.
    public var discarded: Int { storage.withLock { $0.discarded } }

    /// Removes all events.
    public func removeAll() {
        // Moved out of the lock, because it may release what an action retains.
        let removed = storage.withLock { storage in
            defer { storage = Storage() }
            return storage.events
        }
        withExtendedLifetime(removed) {}
    }

    /// Records an event, in place of the oldest one if the capacity is reached.
    public func record(_ event: InstrumentEvent) {
        let replaced: InstrumentEvent? = storage.withLock { storage in
            guard storage.events.count == capacity else {
                storage.events.append(event)
                return nil
            }
            let replaced = storage.events[storage.oldest]
            storage.events[storage.oldest] = event
            storage.oldest = (storage.oldest + 1) % capacity
            storage.discarded += 1
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }
}
