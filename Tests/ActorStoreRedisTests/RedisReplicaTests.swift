#if Redis
    import ActionLogConformance
    import ActorStore
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    /// Servers that copy the data of another one.
    @Suite("Replicas of a Redis server", .mayWait, .timeLimit(.minutes(10)))
    struct RedisReplicaTests {
        private func isConnected(_ replica: RedisTestServer) throws -> Bool {
            try replica.perform("INFO", "replication").string?.contains("master_link_status:up") == true
        }

        /// Starts a server, and one that copies its data.
        private func pair() async throws -> (primary: RedisTestServer, replica: RedisTestServer) {
            let primary = try RedisTestServer(hasPort: true)
            let port = try #require(primary.port)
            let replica = try RedisTestServer(RedisTestServer.durable + ["--replicaof", "127.0.0.1", "\(port)"])
            try await until { try isConnected(replica) }
            return (primary, replica)
        }

        @Test("An append waits for the requested number of replicas, and a repeat confirms an unconfirmed group")
        func acknowledgement() async throws {
            let primary = try RedisTestServer(hasPort: true)
            let port = try #require(primary.port)
            let log = RedisLog(
                primary.server,
                stream: "shop",
                acknowledgement: .replicas(1, within: .milliseconds(200))
            )
            let connection = try log.connect()
            let unconfirmed = failure { try connection.append(group("a", 1...2)) }
            #expect(unconfirmed?.code == .disconnected)
            #expect(unconfirmed?.reason.contains("0 of 1 replicas") == true)
            // It is in the log of the primary; the repeat is not acknowledged either.
            #expect(try connection.lastNumber(of: "a") == 2)
            #expect(code { try connection.append(group("a", 1...2)) } == .disconnected)
            #expect(code { try log.connect().append(group("a", 1...2)) } == .disconnected)
            // A gap is an error also without replicas.
            #expect(code { try connection.append(group("a", 9...9)) } == .unexpectedNumber)

            let replica = try RedisTestServer(RedisTestServer.durable + ["--replicaof", "127.0.0.1", "\(port)"])
            try await until { try isConnected(replica) }
            let patient = RedisLog(primary.server, stream: "shop", acknowledgement: .replicas(1, within: .seconds(30)))
            let later = try patient.connect()
            #expect(code { try later.append(group("a", 1...2)) } == .unexpectedNumber)
            #expect(try later.append(group("a", 3...4)) == 3)
            #expect(try replica.perform("XLEN", "{shop}:entries").number == 4)
            #expect(try patient.settings().connectedReplicas == 1)
            // A connected and hanging replica confirms nothing, to no connection, until it is resumed.
            replica.suspend()
            defer { replica.resume() }
            #expect(code { try log.connect().append(group("a", 5...5)) } == .disconnected)
            #expect(code { try log.connect().append(group("a", 5...5)) } == .disconnected)
            replica.resume()
            #expect(code { try patient.connect().append(group("a", 5...5)) } == .unexpectedNumber)
            // The log is there when the replica takes over.
            primary.kill()
            #expect(code { _ = try replica.log().connect() } == .disconnected)
            try replica.perform("REPLICAOF", "NO", "ONE")
            let next = try replica.log().connect()
            #expect(try next.append(group("a", 6...6), if: AppendCondition(.end(point(5, "a", 5)))) == 6)
        }

        @Test("A lease is granted and renewed only if enough replicas have it")
        func confirmedLeases() async throws {
            let (primary, replica) = try await pair()
            let log = RedisLog(
                primary.server,
                stream: "shop",
                acknowledgement: .replicas(1, within: .milliseconds(200))
            )
            let patient = RedisLog(primary.server, stream: "shop", acknowledgement: .replicas(1, within: .seconds(30)))
            let claim = LeaseClaim(name: "effects", holder: "a", for: .seconds(600))
            let lease = try patient.connect().claim(claim)
            let connection = try log.connect()
            replica.suspend()
            defer { replica.resume() }
            let refusal = failure { _ = try connection.claim(LeaseClaim(renewing: lease, for: .seconds(600))) }
            #expect(refusal?.code == .disconnected)
            #expect(refusal?.reason.contains("0 of 1 replicas have confirmed the lease") == true)
            // Another claim grants nothing, and returns the holder.
            let other = try connection.claim(LeaseClaim(name: "effects", holder: "b", for: .seconds(600)))
            #expect(other == lease)
            // A new lease that is not confirmed is free again.
            #expect(
                code { _ = try connection.claim(LeaseClaim(name: "writer", holder: "a", for: .seconds(600))) }
                    == .disconnected
            )
            replica.resume()
            let renewed = try patient.connect().claim(LeaseClaim(renewing: lease, for: .seconds(600)))
            #expect(renewed == lease)
            let writer = try patient.connect().claim(LeaseClaim(name: "writer", holder: "b", for: .seconds(600)))
            #expect(writer.holder == "b")
        }

        @Test("A read returns entries that enough replicas have, and a fail-over to one of them removes none of those")
        func confirmedReads() async throws {
            let (primary, replica) = try await pair()
            let patient = RedisLog(primary.server, stream: "shop", acknowledgement: .replicas(1, within: .seconds(30)))
            let hasty = RedisLog(
                primary.server,
                stream: "shop",
                acknowledgement: .replicas(1, within: .milliseconds(200))
            )
            try patient.connect().append(group("a", 1...2))
            let reader = try hasty.connect()
            #expect(try reader.read(after: 0, atMost: 1000).map(\.identity.number) == [1, 2])
            replica.suspend()
            defer { replica.resume() }
            #expect(code { try hasty.connect().append(group("a", 3...3)) } == .disconnected)
            // The entry is in the log of the primary.
            #expect(try primary.log().connect().read(after: 2, atMost: 1000).count == 1)
            #expect(code { _ = try reader.read(after: 2, atMost: 1000) } == .disconnected)
            #expect(code { _ = try reader.status() } == .disconnected)
            let waited = code {
                _ = try reader.read(after: 1, atMost: 1000, onceAfter: 2, within: .seconds(60))
            }
            #expect(waited == .disconnected)
            // What has been confirmed to this connection can be read.
            #expect(try reader.read(after: 0, atMost: 1).map(\.identity.number) == [1])
            replica.resume()
            let other = try patient.connect()
            #expect(try other.read(after: 0, atMost: 1000).map(\.identity.number) == [1, 2, 3])
            #expect(try other.status().end == point(3, "a", 3))
        }

        @Test("A durable store acknowledges no action without a replica's confirmation, also if it is in the log")
        func durableStore() async throws {
            let (primary, replica) = try await pair()
            let log = RedisLog(
                primary.server,
                stream: "shop",
                acknowledgement: .replicas(1, within: .seconds(3))
            )
            let store = try await Store.durable(
                in: log,
                initialState: Shop.State(),
                reducer: Shop(),
                durability: DurabilityConfiguration(retryLimit: .seconds(600), leaseDuration: .seconds(600))
            )
            try await store.dispatch(.order(1))
            replica.suspend()
            defer { replica.resume() }
            let dispatch = Task { _ = try await store.dispatch(.order(2)) }
            try await until { try primary.perform("XLEN", "{shop}:entries").number == 3 }
            // It has been found in the log by now, and requested again.
            try await until { store.statistics.lastProblem != nil }
            try await Task.sleep(for: .seconds(2))
            #expect(store.statistics.committedRevision == 1)
            replica.resume()
            try await dispatch.value
            #expect(try replica.perform("XLEN", "{shop}:entries").number == 3)
            await store.shutdown(drain: .finishEffects, within: .seconds(60))
        }

        @Test("A primary that becomes a replica refuses appends with a transient error")
        func demotion() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try connection.append(group("a", 1...1))
            try server.perform("REPLICAOF", "127.0.0.1", "1")
            #expect(code { try connection.append(group("a", 2...2)) } == .disconnected)
        }

        @Test("A replica of a store avoids a server that became a replica, and continues when it is a primary again")
        func demotionOfTheLog() async throws {
            let server = try RedisTestServer()
            let store = try await ShopStore.open(server.log())
            try await store.order(1...3)
            try server.perform("REPLICAOF", "127.0.0.1", "1")
            // Another server may have later entries by now.
            await expect(.disconnected) { try await store.readBarrier() }
            // Its reading connection is closed by the server, or fails with the next read.
            await expect(.disconnected) { _ = try server.log().connect() }
            let dispatch = Task { try await store.dispatch(.order(4)) }
            while store.statistics.isConnected { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.statistics.failure == nil)
            try server.perform("REPLICAOF", "NO", "ONE")
            _ = try await dispatch.value
            try await store.readBarrier()
            #expect(store.snapshot.orders == Array(1...4))
            await store.end()
        }

        @Test("A primary with too few replicas refuses appends with a transient error")
        func tooFewReplicas() throws {
            let server = try RedisTestServer()
            let connection = try server.log().connect()
            try server.perform("CONFIG", "SET", "min-replicas-to-write", "1")
            #expect(code { try connection.append(group("a", 1...1)) } == .disconnected)
            #expect(try server.log().settings().minReplicasToWrite == 1)
            try server.perform("CONFIG", "SET", "min-replicas-to-write", "0")
            #expect(try connection.append(group("a", 1...1)) == 1)
        }
    }
#endif
