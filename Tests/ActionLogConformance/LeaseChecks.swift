import ActorStorePersistence

extension ConformanceCheck {
    /// Leases, their tokens, and replicas.
    static let leases: [ConformanceCheck] = [
        ConformanceCheck("A lease has one holder, and keeps its token when it is renewed") { laboratory in
            let (first, second) = (try laboratory.log.connect(), try laboratory.log.connect())
            let lease = try first.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(600)))
            try expect(lease.holder, is: "a", "the holder")
            try expect(lease.token > 0, is: true, "whether there is a token")
            let other = LeaseClaim(name: "effects", holder: "b", for: .seconds(600))
            try expect(try second.claim(other), is: lease, "what another one gets")
            let renewal = LeaseClaim(name: "effects", holder: "a", for: .seconds(600))
            try expect(try first.claim(renewal), is: lease, "the renewed one")
            let elsewhere = try second.claim(LeaseClaim(name: "reminders", holder: "b", for: .seconds(600)))
            try expect(elsewhere.holder, is: "b", "the holder of another lease")
        },
        ConformanceCheck("A returned or expired lease goes to the next claimant, with a greater token") {
            laboratory in
            let connection = try laboratory.log.connect()
            func claim(_ holder: String, for duration: Duration, isNew: Bool = false) throws -> ActionLogLease {
                try connection.claim(LeaseClaim(name: "effects", holder: holder, for: duration, isNew: isNew))
            }
            let first = try claim("a", for: .seconds(600))
            try connection.release(first)
            let second = try claim("b", for: .seconds(600))
            try expect(second.holder, is: "b", "the holder after a release")
            try connection.release(first)
            try expect(try claim("a", for: .seconds(600)).holder, is: "b", "the holder after a release of the past")
            try expect(try claim("b", for: .milliseconds(50)), is: second, "the renewed one")
            try laboratory.sleep(.milliseconds(120))
            let third = try claim("a", for: .seconds(600))
            try expect(third.holder, is: "a", "the holder after the end")
            let fourth = try claim("a", for: .seconds(600), isNew: true)
            let tokens = [first, second, third, fourth].map(\.token)
            try expect(
                zip(tokens, tokens.dropFirst()).allSatisfy { $0 < $1 },
                is: true,
                "whether tokens grow: \(tokens)"
            )
        },
        ConformanceCheck("A renewal does not affect a later claimant of the lease") { laboratory in
            let connection = try laboratory.log.connect()
            let nothing = ActionLogLease(name: "effects", token: 7, holder: "a")
            let none = try connection.claim(LeaseClaim(renewing: nothing, for: .seconds(600)))
            try expect(none.holder, is: "", "the holder of an unclaimed lease")
            let first = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .milliseconds(50)))
            try expect(
                try connection.claim(LeaseClaim(renewing: first, for: .milliseconds(50))),
                is: first,
                "the renewed"
            )
            try laboratory.sleep(.milliseconds(120))
            // It was not claimed since.
            try expect(try connection.claim(LeaseClaim(renewing: first, for: .milliseconds(50))), is: first, "the late")
            try laboratory.sleep(.milliseconds(120))
            let second = try connection.claim(LeaseClaim(name: "effects", holder: "b", for: .milliseconds(50)))
            try expect(second.holder, is: "b", "the holder after the end")
            try laboratory.sleep(.milliseconds(120))
            try expect(
                try connection.claim(LeaseClaim(renewing: first, for: .seconds(600))),
                is: second,
                "the too late"
            )
            try connection.append(group("b", 1...1), if: AppendCondition(.contains(.start), lease: second))
            try expect(.fenced, from: "appending under the former lease") {
                try connection.append(group("a", 1...1), if: AppendCondition(.contains(.start), lease: first))
            }
        },
        ConformanceCheck("Entries sent under a lease are refused when there is a newer one") { laboratory in
            let connection = try laboratory.log.connect()
            let old = try connection.claim(LeaseClaim(name: "effects", holder: "a", for: .seconds(600)))
            try connection.append(group("a", 1...1), if: AppendCondition(.contains(.start), lease: old))
            try connection.release(old)
            // It has no other holder yet.
            try connection.append(group("a", 2...2), if: AppendCondition(.contains(.start), lease: old))
            let new = try connection.claim(LeaseClaim(name: "effects", holder: "b", for: .seconds(600)))
            try expect(.fenced, from: "appending under the former lease") {
                try connection.append(group("a", 3...3), if: AppendCondition(.contains(.start), lease: old))
            }
            try connection.append(group("b", 1...1), if: AppendCondition(.contains(.start), lease: new))
            try connection.append(group("a", 3...3))
            try expect(try connection.status().end.position, is: 4, "the end")
        },
        ConformanceCheck("A new token exceeds the greatest one of the entries, and so do later ones") {
            laboratory in
            let connection = try laboratory.log.connect()
            func claim(_ holder: String, after token: UInt64 = 0) throws -> ActionLogLease {
                let lease = try connection.claim(
                    LeaseClaim(name: "effects", holder: holder, for: .seconds(600), after: token)
                )
                try connection.release(lease)
                return lease
            }
            var token = try claim("a").token
            // Those of a machine whose clock is an hour ahead, and of one that shows another century.
            for ahead in [token + 3_600_000 << 20, 1 << 62] {
                for _ in 0..<20 {
                    let lease = try claim("b", after: ahead)
                    try expect(lease.token > max(token, ahead), is: true, "whether \(lease.token) exceeds both")
                    token = lease.token
                }
                let later = try claim("c").token
                try expect(later > token, is: true, "whether \(later) exceeds \(token)")
                token = later
            }
            try expect(.damaged, .refused, from: "claiming a token behind the last one") {
                _ = try connection.claim(
                    LeaseClaim(name: "other", holder: "a", for: .seconds(1), after: (1 << 63) - 1)
                )
            }
        },
        ConformanceCheck("No token is reused, also by a log that has lost its end", needsLoss: true) {
            laboratory in
            var tokens: Set<UInt64> = []
            for round in 0..<5 {
                let connection = try laboratory.log.connect()
                try connection.append(group("life \(round)", 1...2))
                for holder in ["a", "b"] {
                    let lease = try connection.claim(LeaseClaim(name: "effects", holder: holder, for: .seconds(600)))
                    try expect(tokens.insert(lease.token).inserted, is: true, "whether \(lease.token) is new")
                    try connection.release(lease)
                }
                try laboratory.loseEnd?(UInt64(round))
            }
        },
        ConformanceCheck("Recently reported replicas are listed, each with its last report") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...9))
            try connection.report(ReplicaPresence(origin: "a", position: 3))
            try connection.report(ReplicaPresence(origin: "b", position: 5))
            try connection.report(ReplicaPresence(origin: "a", position: 7))
            func known(since age: Duration) throws -> [String] {
                try connection.presences(since: age).map { "\($0.origin) \($0.position)" }.sorted()
            }
            try expect(try known(since: .seconds(600)), is: ["a 7", "b 5"], "the replicas")
            try laboratory.sleep(.milliseconds(1_200))
            try connection.report(ReplicaPresence(origin: "c", position: 9))
            try expect(try known(since: .seconds(1)), is: ["c 9"], "those of the last second")
        },
    ]
}
