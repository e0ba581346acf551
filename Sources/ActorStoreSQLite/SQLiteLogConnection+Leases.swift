#if SQLite
    import ActorStorePersistence
    import Foundation

    extension SQLiteLogConnection {
        func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
            let lease = try database.transaction { () throws(ActionLogError) in
                let now = BootTime.now
                if let token = claim.renewedToken {
                    let lease = try currentLease(claim.name)?.0
                    if let lease, lease.token == token { try write(lease, for: claim.duration, from: now) }
                    return lease ?? ActionLogLease(name: claim.name, token: 0, holder: "")
                }
                if let (lease, state) = try currentLease(claim.name), state.isAlive(at: now, in: file) {
                    guard lease.holder == claim.holder else { return lease }
                    if !claim.isNew {
                        try write(lease, for: claim.duration, from: now)
                        return lease
                    }
                }
                let token = try makeToken(after: claim.precedingToken)
                let lease = ActionLogLease(name: claim.name, token: token, holder: claim.holder)
                try write(lease, for: claim.duration, from: now)
                return lease
            }
            try checkIsInPlace()
            return lease
        }

        func release(_ lease: ActionLogLease) throws(ActionLogError) {
            try database.transaction { () throws(ActionLogError) in
                // The token remains, so that the next lease fences later appends of this holder.
                try database.prepared(
                    "UPDATE leases SET deadline = 0 WHERE name = ? AND token = ? AND holder = ?"
                ).run(.text(lease.name), .number(lease.token), .text(lease.holder))
            }
        }

        /// The validity of a lease.
        fileprivate struct LeaseState {
            let session: Int64
            let end: BootTime

            /// Returns whether the lease is valid. A holder whose process has ended holds no lease.
            func isAlive(at now: BootTime, in file: SharedFile) -> Bool {
                now.boot == end.boot && now.nanoseconds < end.nanoseconds && file.hasSession(session)
            }
        }

        private func currentLease(_ name: String) throws(ActionLogError) -> (ActionLogLease, LeaseState)? {
            try database.prepared("SELECT token, holder, session, boot, deadline FROM leases WHERE name = ?").first(
                .text(name)
            ) { row in
                (
                    ActionLogLease(name: name, token: row.number(at: 0), holder: row.text(at: 1)),
                    LeaseState(
                        session: row.integer(at: 2),
                        end: BootTime(boot: row.text(at: 3), nanoseconds: row.integer(at: 4))
                    )
                )
            }
        }

        private func write(_ lease: ActionLogLease, for duration: Duration, from now: BootTime) throws(ActionLogError) {
            try database.prepared("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)").run(
                .text(lease.name),
                .number(lease.token),
                .text(lease.holder),
                .integer(session),
                .text(now.boot),
                .integer(now.nanoseconds + duration.wholeNanoseconds)
            )
        }

        /// Returns a token that is greater than all earlier ones, and that does not repeat after the file is restored
        /// from a backup: the time in milliseconds, or one more than that of the last token if the clock was set back,
        /// and twenty random bits.
        private func makeToken(after token: UInt64) throws(ActionLogError) -> UInt64 {
            let last = max(try database.integer("SELECT token FROM log") ?? 0, Int64(clamping: token))
            let milliseconds = max(Int64(Date().timeIntervalSince1970 * 1_000), (last >> 20) + 1)
            guard milliseconds < 1 << 43 else {
                throw ActionLogError(.damaged, in: log.name, "The log has used up its tokens.")
            }
            let token = milliseconds << 20 | Int64.random(in: 0..<1 << 20)
            try database.prepared("UPDATE log SET token = ?").run(.integer(token))
            return UInt64(clamping: token)
        }

        // MARK: Replicas

        func report(_ presence: ReplicaPresence) throws(ActionLogError) {
            let now = BootTime.now
            try database.transaction { () throws(ActionLogError) in
                try database.prepared("INSERT OR REPLACE INTO replicas VALUES (?, ?, ?, ?)").run(
                    .text(presence.origin),
                    .number(presence.position),
                    .text(now.boot),
                    .integer(now.nanoseconds)
                )
                // Replicas that have not reported for a day, or since the last start of the machine.
                try database.prepared("DELETE FROM replicas WHERE boot <> ? OR time < ?").run(
                    .text(now.boot),
                    .integer(now.nanoseconds - Duration.seconds(86_400).wholeNanoseconds)
                )
            }
        }

        func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence] {
            let now = BootTime.now
            return try database.prepared("SELECT origin, position FROM replicas WHERE boot = ? AND time >= ?").all(
                .text(now.boot),
                .integer(now.nanoseconds - age.wholeNanoseconds)
            ) { ReplicaPresence(origin: $0.text(at: 0), position: $0.number(at: 1)) }
        }
    }

    /// A time of the clock that counts from the start of the machine and cannot be adjusted.
    private struct BootTime {
        /// Identifies the start of the machine.
        let boot: String
        let nanoseconds: Int64

        static var now: BootTime {
            var time = timespec()
            clock_gettime(clock, &time)
            return BootTime(boot: currentBoot, nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        }

        #if canImport(Darwin)
            private static let clock = CLOCK_MONOTONIC_RAW
            private static let currentBoot: String = {
                var time = timeval()
                var size = MemoryLayout<timeval>.size
                sysctlbyname("kern.boottime", &time, &size, nil, 0)
                return "\(time.tv_sec)"
            }()
        #else
            private static let clock = CLOCK_BOOTTIME
            private static let currentBoot =
                (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        #endif
    }

    extension Duration {
        /// The duration, at most a hundred years, so that sums of times do not overflow.
        fileprivate var wholeNanoseconds: Int64 {
            let (seconds, attoseconds) = components
            return min(max(seconds, 0), 100 * 366 * 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }
#endif
