#if Journal
    import ActorStore

    extension DurableStore {
        /// The state after an earlier action, made of the newest snapshot before it and the actions since.
        ///
        /// With ``BrokenRecords/skip`` it leaves out the actions that the recovery has left out, as the state of the
        /// store does; ``DurableStore/recovery`` names them. Any other action that cannot be read is an error, because
        /// a state without it has never been the store's: one that was damaged later, or lies before the snapshot that
        /// the recovery began with.
        ///
        /// It reads by a connection of its own, on a thread of its own, and holds nobody up.
        ///
        /// - Parameter revision: How many actions there were; zero is the initial state.
        /// - Throws: ``JournalError`` if there is no such state, or if a record on the way to it cannot be
        ///   read that the recovery has not left out.
        /// - Complexity: O(*n*), with *n* actions since the snapshot.
        public func state(at revision: UInt64, isolation: isolated (any Actor)? = #isolation) async throws -> State {
            if revision > journal.look({ $0.committed }) { try await journal.commit() }
            return try await reader.state(at: revision)
        }

        /// Makes a snapshot of the state now, and returns when it is on disk.
        ///
        /// - Returns: its revision.
        /// - Throws: ``JournalError`` if it cannot be written, which takes nothing from the journal.
        @discardableResult
        public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
            try await commit()
            let revision = revision
            // How an earlier one ended is not what was asked for.
            while await !store.capture(for: journal) { try? await journal.snapshotEnd() }
            try? await journal.snapshotEnd()
            let (saved, problem) = journal.look { ($0.savedSnapshot ?? 0, $0.problem) }
            guard saved >= revision else {
                throw problem ?? JournalError(journal.writer.path, revision: revision, .closed)
            }
            return saved
        }

        /// Makes a snapshot, and deletes what is not needed to keep a number of them and the actions after the oldest.
        ///
        /// The store goes on meanwhile. States before the oldest snapshot that is kept can no longer be read.
        ///
        /// - Parameter count: How many snapshots are kept; with at least two, one that cannot be read does no harm.
        /// - Throws: ``JournalError`` if the disk does not do it; what has been deleted until then was not needed.
        public func compact(keepingSnapshots count: Int, isolation: isolated (any Actor)? = #isolation) async throws {
            try await checkpoint()
            try await journal.writer.compact(keeping: count)
        }
    }
#endif
