import ActorStore
import Foundation

extension LogWriter {
    /// The recovered contents of a log.
    struct Opening: Sendable {
        let logged: LoggedState<State>
        let report: RecoveryReport
        let first: UInt64
    }

    /// Opens the log and rebuilds its state, as soon as no other store or program has it. Nothing is changed before the
    /// state has been rebuilt.
    func open(_ replay: LogReplay<State, Action>) async throws(ActionLogError) -> Opening {
        let (connection, recovered, lease) = try await acquire(replay)
        do throws(ActionLogError) {
            let opened = try open(replay, recovered, lease, by: connection)
            if let position = opened.report.snapshotPosition { upload.retained.note(position) }
            self.connection = connection
            self.lease = lease
            end = opened.logged.account.point
            return Opening(logged: opened.logged, report: opened.report, first: opened.status.first)
        } catch {
            log.release(lease, by: connection)
            throw error
        }
    }

    /// A connection, what was recovered without the lease, and the lease.
    private typealias Acquired = (
        connection: any ActionLogConnection, recovered: LogReplay<State, Action>.Recovered?, lease: ActionLogLease
    )

    /// Acquires the lease, and waits up to the limit while another store has it, or another program has locked the log.
    private func acquire(_ replay: LogReplay<State, Action>) async throws(ActionLogError) -> Acquired {
        let deadline = ContinuousClock.now + configuration.openingTimeout
        while true {
            do throws(ActionLogError) { return try await acquire(replay, until: deadline) } catch {
                // A program that was suspended while it wrote keeps the locks of a file.
                guard error.code == .busy, ContinuousClock.now < deadline,
                    (try? await Task.sleep(for: .milliseconds(20))) != nil
                else { throw error }
            }
        }
    }

    private func acquire(
        _ replay: LogReplay<State, Action>,
        until deadline: ContinuousClock.Instant
    ) async throws(ActionLogError) -> Acquired {
        let connection = try log.connect()
        let start = ContinuousClock.now
        var recovered: LogReplay<State, Action>.Recovered?
        do throws(ActionLogError) {
            recovered = try replay.recover(from: connection)
        } catch {
            // The current writer can resolve that with the snapshot of its shutdown.
            guard error.isMendedBySnapshot, configuration.openingTimeout > .zero else { throw error }
        }
        // The recovery is work, not a wait.
        let deadline = deadline + start.duration(to: .now)
        let token = recovered?.logged.account.lease ?? 0
        return (connection, recovered, try await claim(after: token, until: deadline, by: connection))
    }

    /// Reduces what the previous writer has appended meanwhile, and appends the first entry of this store.
    private func open(
        _ replay: LogReplay<State, Action>,
        _ known: LogReplay<State, Action>.Recovered?,
        _ lease: ActionLogLease,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> LogReplay<State, Action>.Recovered {
        // Entries that were missing while another store was the writer may exist now.
        let isWhole = known?.report.needsSnapshot == false
        var recovered = if isWhole, let known { known } else { try replay.recover(from: connection) }
        var refused: ActionLogPoint?
        while true {
            do throws(ActionLogError) {
                try replay.catchUp(&recovered.logged, by: connection, &recovered.report)
            } catch {
                // Its entries may have been deleted in favour of a snapshot, or be for its own reducer.
                guard error.isMendedBySnapshot else { throw error }
                recovered = try replay.recover(from: connection)
            }
            // A recovery can take longer than the lease lasts.
            _ = try connection.claim(LeaseClaim(renewing: lease, for: configuration.leaseDuration))
            let point = recovered.logged.account.point
            guard refused != point else {
                throw ActionLogError(
                    .damaged,
                    in: log.name,
                    at: point.position,
                    "The end of the log differs from the last entry that it returns. Restore a backup."
                )
            }
            refused = point
            if try open(&recovered.logged.account, lease, by: connection) { break }
        }
        recovered.report.revision = recovered.logged.account.revision
        return recovered
    }

    private func claim(
        after token: UInt64,
        until deadline: ContinuousClock.Instant,
        by connection: any ActionLogConnection
    ) async throws(ActionLogError) -> ActionLogLease {
        while true {
            let claim = LeaseClaim(name: "writer", holder: origin, for: configuration.leaseDuration, after: token)
            let lease = try connection.claim(claim)
            if lease.holder == origin { return lease }
            guard ContinuousClock.now < deadline else {
                throw ActionLogError(
                    .inUse,
                    in: log.name,
                    """
                    Another store writes to the log, and a log has one writer. Shut the other store down first. If its \
                    program has crashed, its lease ends at most \(configuration.leaseDuration) after that: to wait for \
                    the end when opening, set the openingTimeout of the DurabilityConfiguration.
                    """
                )
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                throw ActionLogError(
                    .inUse,
                    in: log.name,
                    "Another store writes to the log, and the wait for it was cancelled. Shut it down first."
                )
            }
        }
    }

    /// Appends the first entry of this store.
    ///
    /// - Returns: Whether the log had the expected end.
    private func open(
        _ account: inout LogAccount,
        _ lease: ActionLogLease,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> Bool {
        var header = EntryHeader(.opening)
        header.lease = lease.token
        header.revision = account.revision
        let identity = ActionLogEntry.Identity(origin: origin, number: 1)
        let entry = ActionLogEntry(identity, header: try header.text, payload: Data())
        do throws(ActionLogError) {
            try connection.append([entry], if: AppendCondition(.end(account.point), lease: lease))
        } catch {
            guard error.code == .unexpectedEnd else { throw error }
            return false
        }
        _ = account.admit(header, of: identity)
        return true
    }
}
