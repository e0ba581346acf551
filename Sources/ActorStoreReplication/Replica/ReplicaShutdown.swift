#if Replication
    import ActorStore

    /// Ends a replica in order: first nobody else may send, then what is under way comes to its end, effects included,
    /// and only then the store stops to reduce.
    struct ReplicaShutdown<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
        let root: Replica<State, Action>.Root
        let replica: Replica<State, Action>
        let tasks: [Task<Void, Never>]

        func run(_ drain: ShutdownDrain, _ limit: Duration, isolation: isolated (any Actor)? = #isolation) async throws
        {
            let failure = await Task { await end(drain, limit) }.value
            if let failure { throw failure }
        }

        /// In a task of its own, so that it comes to its end also if whoever asked for it is cancelled.
        private func end(_ drain: ShutdownDrain, _ limit: Duration) async -> ReplicationError? {
            // The second time there is nothing left to do.
            if replica.failure?.cause == .closed { return nil }
            // As every end of a store, it waits for no observer; what one has held up is reduced first.
            root.endSuspensions()
            await root.settle()
            replica.close()
            // Not one that calls this itself, which goes on when the store has ended.
            if drain == .cancelEffects { await root.cancelOtherEffects() }
            let isQuiet = await isQuiet(within: limit)
            let failure = replica.failure ?? (isQuiet ? nil : replica.error(.unacknowledged(count: replica.pending)))
            await root.shutdown(drain: failure == nil ? drain : .cancelEffects)
            let wasConnected = replica.statistics.isConnected
            replica.end(failure ?? replica.error(.closed))
            for task in tasks { task.cancel() }
            // Whoever tries to connect may be at it for as long as the server's timeout lasts; that is not waited for.
            if wasConnected { for task in tasks { await task.value } }
            return failure
        }

        /// Waits until nothing is under way.
        ///
        /// - Parameter limit: How long to wait while nothing moves although there is something for the server to do.
        /// - Returns: whether it has come to that.
        private func isQuiet(within limit: Duration) async -> Bool {
            let clock = ContinuousClock()
            var seen = replica.progress
            var since = clock.now
            while replica.failure == nil {
                let isIdle = await !root.hasOtherEffects() && root.statistics.waitingActions == 0
                // Looked at after the effects: what they sent before they ended is counted by then.
                let progress = replica.progress
                if isIdle && progress.isComplete { return true }
                if progress != seen || progress.isComplete { (seen, since) = (progress, clock.now) }
                if clock.now - since > limit { return false }
                // There is nobody to be told by: effects that end, actions that come back and answers of the server are
                // three different things, and this is done once in a life.
                try? await clock.sleep(for: .milliseconds(1))
            }
            return false
        }
    }
#endif
