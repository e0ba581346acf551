import ActorStore

/// The lease, and the end of the writing.
extension LogWriter {
    /// Verifies that no other writer has appended to the log.
    func checkEnd(_ shared: DurableLog<State, Action>) throws(ActionLogError) {
        let found = try ask(shared) { connection throws(ActionLogError) in
            if retries.isFailing { try lookForAnswers(by: connection, shared) }
            let found = try connection.status().end
            guard found != end, retries.isFailing else { return found }
            // Entries that a broken connection had sent can arrive after they were looked for.
            try lookForAnswers(by: connection, shared)
            return try connection.status().end
        }
        guard found != end else { return }
        let error = takenOver(
            ActionLogError(
                .fenced,
                in: log.name,
                at: found.position,
                """
                The log ends at \(found.position), but this store has written up to \(end.position): another store has \
                taken it over. Restart this program, or stop it.
                """
            ),
            by: try connect(shared)
        )
        end(shared, error)
        throw error
    }

    /// Returns the reason why this store is no longer the writer; possibly because the log has lost its end, and the
    /// lease with it.
    ///
    /// - Parameter fencing: The error if nothing was lost.
    func takenOver(_ fencing: ActionLogError, by connection: any ActionLogConnection) -> ActionLogError {
        do throws(ActionLogError) {
            if try connection.identity(at: end.position) == end.identity { return fencing }
        } catch {
            // If the entry was deleted in favour of a snapshot, another store has continued.
            return fencing
        }
        return ActionLogError(
            .lostEntries,
            in: log.name,
            at: end.position,
            """
            The log has lost acknowledged entries: it no longer has entry \(end.position), the last one of this store. \
            Restore a newer copy, or open the store again to continue from what the log has.
            """
        )
    }

    /// Renews the lease, and schedules the next renewal.
    func renew(of shared: DurableLog<State, Action>) {
        guard let lease, shared.failure == nil else { return }
        do throws(ActionLogError) {
            let claim = LeaseClaim(renewing: lease, for: configuration.leaseDuration)
            let renewed = try ask(shared) { connection throws(ActionLogError) in try connection.claim(claim) }
            if renewed != lease {
                let error = ActionLogError(
                    .fenced,
                    in: log.name,
                    "Another store has taken the log over, because this one did not renew its lease in time. Restart, or stop it."
                )
                return end(shared, takenOver(error, by: try connect(shared)))
            }
            try checkNewestSnapshotAfterReconnection(shared)
        } catch {
            shared.noteProblem(error)
        }
        renewLater(of: shared)
    }

    private func renewLater(of shared: DurableLog<State, Action>) {
        thread.run(after: configuration.leaseDuration / 3) { [weak self, weak shared] in
            guard let self, let shared else { return }
            assumeIsolated { $0.renew(of: shared) }
        }
    }

    /// Ends the writing of entries, and closes the log. A store that has ended makes no more calls, however long it is
    /// retained for its state: otherwise the file of a log could not be replaced and opened by another store.
    func end(_ shared: DurableLog<State, Action>, _ error: ActionLogError) {
        // First, because the parts of a large snapshot take long to delete.
        shared.end(error)
        upload.cancel(by: connection)
        if let lease, let connection, (try? connection.release(lease)) != nil { self.lease = nil }
        connection = nil
    }

    /// Releases the lease, and closes the log.
    func close(_ shared: DurableLog<State, Action>) async {
        await reader.end()
        end(shared, ActionLogError(.closed, in: log.name, "The store has been shut down."))
        if let lease { log.release(lease) }
        lease = nil
    }

    /// Starts the renewals of the lease.
    func start(_ shared: DurableLog<State, Action>) {
        if let connection { shared.watch(connection) }
        renewLater(of: shared)
    }
}
