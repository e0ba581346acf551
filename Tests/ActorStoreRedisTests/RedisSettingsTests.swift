#if Redis
    import ActionLogConformance
    import ActorStore
    import ActorStorePersistence
    import Foundation
    import Testing

    @testable import ActorStoreRedis

    @Suite("Settings of a Redis server", .mayWait)
    struct RedisSettingsTests {
        @Test(
            "A setting that can lose entries is refused, and named with its value",
            arguments: [
                ("appendonly is no", ["--appendonly", "no"]),
                ("appendfsync is everysec", ["--appendonly", "yes", "--appendfsync", "everysec"]),
                ("appendfsync is no", ["--appendonly", "yes", "--appendfsync", "no"]),
                (
                    "maxmemory-policy is allkeys-lru",
                    RedisTestServer.durable + ["--maxmemory-policy", "allkeys-lru"]
                ),
                (
                    "aof-load-truncated is yes",
                    RedisTestServer.durable + ["--aof-load-truncated", "yes"]
                ),
                (
                    "no-appendfsync-on-rewrite is yes",
                    RedisTestServer.durable + ["--no-appendfsync-on-rewrite", "yes"]
                ),
            ]
        )
        func hazard(text: String, arguments: [String]) throws {
            let server = try RedisTestServer(arguments)
            let failure = failure { _ = try server.log().connect() }
            #expect(failure?.code == .unsafe)
            #expect(failure?.isTransient == false)
            #expect(failure?.reason.contains(text) == true)
            var careless = server.server
            careless.allowsLoss = true
            let log = RedisLog(careless, stream: "shop")
            #expect(try log.connect().status().end == .start)
        }

        @Test("Policies that evict keys with an expiry are accepted, as a log has no such keys")
        func expiringKeys() throws {
            let server = try RedisTestServer(RedisTestServer.durable + ["--maxmemory-policy", "volatile-lru"])
            try server.log().connect().append(group("a", 1...1))
        }

        @Test("A log returns the settings of its server")
        func told() throws {
            let server = try RedisTestServer(RedisTestServer.durable + ["--min-replicas-to-write", "0"])
            let settings = try server.log().settings()
            #expect(settings.majorVersion ?? 0 >= 7)
            #expect(settings.appendonly == "yes")
            #expect(settings.appendfsync == "always")
            #expect(settings.aofLoadTruncated == "no")
            #expect(settings.noAppendfsyncOnRewrite == "no")
            #expect(settings.maxmemoryPolicy == "noeviction")
            #expect(settings.aofLastWriteStatus == "ok")
            #expect(settings.role == "master")
            #expect(settings.minReplicasToWrite == 0)
            #expect(settings.connectedReplicas == 0)
            #expect(settings.hazards == [])
            let connection = try server.log().connect()
            #expect(connection.settings == settings.values)
            #expect(connection.settings["appendfsync"] == "always")
            #expect(connection.settings["min-replicas-to-write"] == "0")
        }

        @Test("Statistics of durable and replicated stores have the settings of the server when they last connected")
        func statistics() async throws {
            let server = try RedisTestServer()
            let durable = try await Store.durable(in: server.log("a"), initialState: 0) {
                (sum: inout Int, number: Int) in sum += number
            }
            let replica = try await Store.replicated(through: server.log("b"), initialState: 0) {
                (sum: inout Int, number: Int) in sum += number
            }
            #expect(durable.statistics.settings["appendfsync"] == "always")
            #expect(replica.statistics.settings["appendfsync"] == "always")
            #expect(durable.statistics.settings["role"] == nil)
            try server.perform("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
            #expect(durable.statistics.settings["maxmemory-policy"] == "noeviction")
            try server.perform("CLIENT", "KILL", "TYPE", "normal")
            try await until {
                try await durable.dispatch(1)
                try await replica.dispatch(1)
                return [durable.statistics.settings, replica.statistics.settings].allSatisfy {
                    $0["maxmemory-policy"] == "volatile-lru"
                }
            }
            await durable.shutdown(drain: .finishEffects)
            await replica.shutdown(drain: .finishEffects)
        }

        @Test("Settings that the user may not read count as unsafe")
        func forbidden() throws {
            let server = try RedisTestServer()
            let rules = ["on", ">hunter2", "~*", "+@all"]
            try server.perform(["ACL", "SETUSER", "app"] + rules + ["-config"])
            try server.perform(["ACL", "SETUSER", "blind"] + rules + ["-config", "-info"])
            func reach(_ user: String, allowsLoss: Bool = false) -> RedisLog {
                var reached = server.server
                (reached.user, reached.password, reached.allowsLoss) = (user, "hunter2", allowsLoss)
                return RedisLog(reached, stream: "shop")
            }
            let settings = try reach("app").settings()
            #expect(settings.appendonly == "yes")
            #expect(settings.maxmemoryPolicy == "noeviction")
            #expect(settings.appendfsync == nil)
            let unknown = failure { _ = try reach("app").connect() }
            #expect(unknown?.code == .unsafe)
            #expect(unknown?.reason.contains("appendfsync is not known") == true)
            #expect(unknown?.reason.contains("maxmemory-policy is") == false)
            #expect(code { _ = try reach("blind").connect() } == .unsafe)
            #expect(try reach("blind", allowsLoss: true).connect().status().end == .start)
        }

        @Test("A version before 7 is refused, and versions are compared numerically")
        func versions() {
            func settings(_ version: String) -> RedisSettings {
                RedisSettings(info: "# Server\r\nredis_version:\(version)\r\nrole:master\r\n", configuration: [:])
            }
            #expect(settings("6.2.14").majorVersion == 6)
            #expect(settings("7.0.15").hazards.contains { $0.hasPrefix("aof-load-truncated is not known") })
            #expect(settings("7.0.15").majorVersion == 7)
            #expect(!settings("7.0.15").isAtLeast(7, 2))
            #expect(settings("7.2.0").isAtLeast(7, 2))
            #expect(settings("8.0.1").isAtLeast(7, 2))
            #expect(settings("10.0.0").isAtLeast(7, 2))
            #expect(!settings("").isAtLeast(7, 2))
            #expect(!RedisSettings(info: nil, configuration: [:]).isAtLeast(7, 0))
        }

        @Test("A failed write to the file of a server is a hazard")
        func failedWrite() {
            let info = "redis_version:7.0.15\nrole:master\naof_enabled:1\naof_last_write_status:err\n"
            let configuration = [
                "appendfsync": "always", "aof-load-truncated": "no", "maxmemory-policy": "noeviction",
            ]
            let hazards = RedisSettings(info: info, configuration: configuration).hazards
            #expect(hazards.count == 1)
            #expect(hazards.first?.hasPrefix("aof_last_write_status is err") == true)
        }

        @Test("A server that has not completed its first file since it was turned on is busy", .timeLimit(.minutes(10)))
        func firstFile() throws {
            let server = try RedisTestServer(RedisTestServer.durable + ["--appendonly", "no"])
            for key in ["a", "b", "c", "d"] { try server.perform("SET", key, "1") }
            // A second for each key, during which the server is writing the file.
            try server.perform("CONFIG", "SET", "rdb-key-save-delay", "1000000")
            try server.perform("CONFIG", "SET", "appendonly", "yes")
            let error = failure { _ = try server.log().connect() }
            #expect(error?.code == .busy)
            #expect(error?.isTransient == true)
            while try server.perform("INFO", "persistence").string?.contains("aof_rewrite_in_progress:1") == true {
                usleep(50_000)
            }
            try server.log().connect().append(group("a", 1...1))
            // Not in later rewrites.
            try server.perform("BGREWRITEAOF")
            #expect(try server.perform("INFO", "persistence").string?.contains("aof_rewrite_in_progress:1") == true)
            _ = try server.log().connect()
        }

        @Test(
            "Error responses have the codes of the protocol",
            arguments: [
                ("LOADING Redis is loading the dataset in memory", ActionLogError.Code.busy),
                ("BUSY Redis is busy running a script.", .busy),
                ("ERR max number of clients reached", .busy),
                ("MASTERDOWN Link with MASTER is down", .disconnected),
                ("READONLY You can't write against a read only replica.", .disconnected),
                ("NOREPLICAS Not enough good replicas to write.", .disconnected),
                ("CLUSTERDOWN The cluster is down", .disconnected),
                ("ERR WAIT cannot be used with replica instances. Please also note", .disconnected),
                ("UNBLOCKED force unblock from blocking operation", .disconnected),
                ("MISCONF Errors writing to the AOF file: No space left on device", .full),
                ("OOM command not allowed when used memory > 'maxmemory'.", .full),
                ("NOAUTH Authentication required.", .refused),
                ("NOPERM this user has no permissions to run the 'xadd' command", .refused),
                ("MOVED 3999 127.0.0.1:6381", .refused),
                ("WRONGTYPE Operation against a key holding the wrong kind of value", .unknownFormat),
                ("ERR syntax error", .refused),
            ]
        )
        func answers(text: String, code: ActionLogError.Code) {
            let error = ActionLogError.refusal(text, in: "log")
            #expect(error.code == code)
            #expect(error.reason.contains(text))
        }
    }
#endif
