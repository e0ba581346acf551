#if Redis
    import ActorStorePersistence
    import Foundation

    extension RedisLogConnection {
        func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
            let answer = try run(
                .claim,
                keys.common + [keys.leases],
                [
                    .text(claim.name), .text(claim.holder), .number(claim.duration.wholeMilliseconds),
                    .text(claim.isNew ? "1" : "0"), .number(UInt64.random(in: 0..<1_000_000)),
                    .text(claim.renewedToken.map { "\($0)" } ?? ""), .number(claim.precedingToken),
                ]
            )
            guard answer.count == 2, let token = answer[0].number, let holder = answer[1].string else {
                throw refusal("lease", [claim.name])
            }
            // A server that was cut off from its replicas must not renew a lease that the promoted one gives to another
            // holder.
            let lease = ActionLogLease(name: claim.name, token: token, holder: holder)
            guard holder == claim.holder else { return lease }
            do throws(ActionLogError) { try awaitReplicas(ofEntries: false) } catch {
                // The caller does not have it, and may claim it again under another name.
                if claim.renewedToken == nil { try? release(lease) }
                throw error
            }
            return lease
        }

        func release(_ lease: ActionLogLease) throws(ActionLogError) {
            let arguments: [Argument] = [.text(lease.name), .number(lease.token), .text(lease.holder)]
            _ = try run(.release, keys.common + [keys.leases], arguments)
        }

        func report(_ presence: ReplicaPresence) throws(ActionLogError) {
            let arguments: [Argument] = [.text(presence.origin), .number(presence.position)]
            _ = try run(.report, keys.common + [keys.reports, keys.positions], arguments)
        }

        func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence] {
            let answer = try run(
                .presences,
                keys.common + [keys.reports, keys.positions],
                [.number(age.wholeMilliseconds)]
            )
            guard answer.count.isMultiple(of: 2) else { throw refusal("fields", []) }
            var presences: [ReplicaPresence] = []
            for index in stride(from: 0, to: answer.count, by: 2) {
                guard let origin = answer[index].string, let position = answer[index + 1].number else {
                    throw refusal("fields", [])
                }
                presences.append(ReplicaPresence(origin: origin, position: position))
            }
            return presences
        }
    }
#endif
