import ActorStore

/// Keeps the last events in memory: for tests, and to look at what has led to something.
///
/// ```swift
/// let recording = RecordingInstrument(capacity: 200)
/// store.use(recording)
/// for event in recording.events { print(event) }
/// ```
///
/// It keeps the actions of its events alive. It can be used by several stores, and read from anywhere.
public final class RecordingInstrument: StoreInstrument {
    private let capacity: Int
    private let storage = LockedValue(Storage())

    private struct Storage {
        var events: [InstrumentEvent] = []
        /// The place in `events` of the oldest one, once they are as many as are kept.
        var oldest = 0
        var discarded = 0
    }

    /// Creates one that has recorded nothing.
    ///
    /// - Parameter capacity: How many events are kept, at least 1; the oldest make room for new ones. Less than 1 is a
    ///   programmer error, and traps.
    public init(capacity: Int = 1_000) {
        guard capacity >= 1 else {
            fatalError("RecordingInstrument(capacity: \(capacity)) has no room for an event. Give at least 1.")
        }
        self.capacity = capacity
    }

    /// The events that are kept, the oldest first.
    ///
    /// - Complexity: O(*n*).
    public var events: [InstrumentEvent] {
        storage.withLock { Array($0.events[$0.oldest...] + $0.events[..<$0.oldest]) }
    }

    /// How many events are no longer kept, because there was no room.
    public var discarded: Int { storage.withLock { $0.discarded } }

    /// Forgets all events.
    public func removeAll() {
        // Carried out of the lock: what an action holds may be released with it.
        let removed = storage.withLock { storage in
            defer { storage = Storage() }
            return storage.events
        }
        withExtendedLifetime(removed) {}
    }

    /// Keeps an event, in the place of the oldest one if there is no room.
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
