#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import ActorStoreRedis
    import Foundation
    import Testing

    @Suite("The log on a Redis server", .mayWait)
    struct RedisConformanceTests {
        /// One server for all checks, each of which has its own stream.
        private static let shared = Result { try RedisTestServer() }

        @Test("A log on a Redis server passes the conformance checks", arguments: ConformanceCheck.all)
        func conformance(check: ConformanceCheck) throws {
            let server = try Self.shared.get()
            let stream = "check \(UUID().uuidString)"
            let laboratory = LogLaboratory(server.log(stream)) { position in
                try server.loseEnd(of: stream, after: position)
            } sleep: {
                Thread.sleep(forTimeInterval: $0 / .seconds(1))
            }
            try check.run(in: laboratory)
        }

        @Test(
            "Replicas on a log on a Redis server pass the conformance checks",
            .timeLimit(.minutes(10)),
            arguments: ReplicaCheck.all
        )
        func replicas(check: ReplicaCheck) async throws {
            let server = try Self.shared.get()
            let stream = "replicas \(UUID().uuidString)"
            let laboratory = LogLaboratory(server.log(stream)) { position in
                try server.loseEnd(of: stream, after: position)
            } sleep: {
                Thread.sleep(forTimeInterval: $0 / .seconds(1))
            }
            try await check.run(in: laboratory)
        }
    }

    extension RedisTestServer {
        /// Puts the keys of a log into the state that they had when it ended at a position, or into an impossible one
        /// if that is within a group; without any lease. Tests of a real loss are in `RedisLossTests`.
        func loseEnd(of stream: String, after position: UInt64) throws {
            let script = """
                local position = tonumber(ARGV[1])
                if position < tonumber(redis.call('HGET', KEYS[3], 'trimmed')) then return end
                redis.call('DEL', KEYS[5])
                redis.call('HDEL', KEYS[3], 'token')
                local first = {}
                for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '(' .. ARGV[1] .. '-0', '+')) do
                    first[entry[2][2]] = first[entry[2][2]] or tonumber(entry[2][4])
                    redis.call('XDEL', KEYS[1], entry[1])
                end
                if not next(first) then return end
                for origin, number in pairs(first) do
                    if number == 1 then redis.call('HDEL', KEYS[2], origin)
                    else redis.call('HSET', KEYS[2], origin, string.format('%.0f', number - 1)) end
                end
                redis.call('XSETID', KEYS[1], ARGV[1] .. '-0')
                local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
                local origin = last and last[2][2] or redis.call('HGET', KEYS[3], 'trimmedOrigin')
                local number = last and last[2][4] or redis.call('HGET', KEYS[3], 'trimmedNumber')
                redis.call('HSET', KEYS[3], 'last', ARGV[1], 'origin', origin, 'number', number, 'origins',
                    tostring(redis.call('HLEN', KEYS[2])))
                for _, id in ipairs(redis.call('HKEYS', KEYS[4])) do
                    local record = redis.call('HGET', KEYS[4], id)
                    if cjson.decode(string.sub(record, 38)).point.position > position then
                        redis.call('HDEL', KEYS[4], id)
                    end
                end
                """
            let names = ["entries", "origins", "log", "snapshots", "leases"].map { "{\(stream)}:\($0)" }
            try perform(["EVAL", script, "5"] + names + ["\(position)"])
        }
    }
#endif
