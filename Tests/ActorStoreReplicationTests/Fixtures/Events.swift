#if Replication
    import ActorStore

    /// What has happened, and a way to wait for it.
    final class Events<Value: Sendable & Equatable>: Sendable {
        private let values = LockedValue<[Value]>([])
        private let stream = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        var all: [Value] { values.withLock { $0 } }

        func add(_ value: Value) {
            values.withLock { $0.append(value) }
            stream.continuation.yield()
        }

        /// Waits until this has happened. For one task at a time.
        func wait(for value: Value) async { await wait { $0.contains(value) } }

        /// Waits until it is so. For one task at a time.
        func wait(until isSo: ([Value]) -> Bool) async {
            if isSo(all) { return }
            for await _ in stream.stream where isSo(all) { return }
        }
    }
#endif
