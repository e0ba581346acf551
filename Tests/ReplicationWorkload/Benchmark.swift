#if Replication
    import ActorStore
    import ActorStoreReplication
    import Foundation

    /// Measures replicas beside what `redis-benchmark` gets out of the same server, in the same run.
    struct Benchmark {
        let actions: Int
        /// How many actions a second there are while the ways between processes are measured.
        private let rate = 500

        func run() async throws {
            for durability in ["everysec", "always"] {
                let redis = try RedisProcess(appendfsync: durability)
                print("appendfsync \(durability)")
                try await measureThroughput(redis)
            }
            for followers in [1, 2, 4, 7] {
                // For each number the same conditions: a server without history.
                try await measurePropagation(RedisProcess(appendfsync: "everysec"), followers)
            }
        }

        private func show(_ name: String, _ text: String) {
            print("  \(name.padding(toLength: 42, withPad: " ", startingAt: 0)) \(text)")
        }

        private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
            let duration = try await ContinuousClock().measure(body)
            return duration / .seconds(1)
        }

        // MARK: Throughput

        private func measureThroughput(_ redis: RedisProcess) async throws {
            for pipeline in [1, 64, 512] {
                let plain = try plainRate(redis, clients: 1, pipeline, count: pipeline == 1 ? actions / 10 : actions)
                show("XADD, 1 client, \(pipeline) at a time", format(plain))
            }
            let clients = try plainRate(redis, clients: 64, 1, count: actions)
            show("XADD, 64 clients, one at a time", format(clients))
            let reference = try plainRate(redis, clients: 1, 512, count: actions)
            for tasks in [1, 64, 512] {
                let store = try await join(redis, "dispatch\(tasks)")
                let count = tasks == 1 ? actions / 10 : actions
                let time = try await seconds { try await dispatch(count / tasks, tasks, to: store) }
                show("dispatch, \(tasks) tasks", format(Double(count) / time, beside: reference))
                try await store.shutdown(drain: .cancelEffects)
            }
            let store = try await join(redis, "send")
            let time = try await seconds {
                for number in 0..<actions { store.send(Sighting(sent: number)) }
                try await store.commit()
            }
            show("send, then wait for all", format(Double(actions) / time, beside: reference))
            try await store.shutdown(drain: .cancelEffects)
        }

        private func format(_ rate: Double, beside reference: Double? = nil) -> String {
            let text = String(format: "%9.0f actions/s", rate)
            return reference.map { text + String(format: ", %.2f of XADD, 512 at a time", rate / $0) } ?? text
        }

        private func join(_ redis: RedisProcess, _ stream: String) async throws -> ReplicatedStore<Latencies, Sighting>
        {
            try await Store.replicated(
                through: redis.server,
                stream: stream,
                initialState: Latencies(),
                reducer: Latencies.Counting(),
                replication: ReplicationConfiguration(pendingLimit: .max, snapshotInterval: .max)
            )
        }

        private func dispatch(
            _ count: Int,
            _ tasks: Int,
            to store: ReplicatedStore<Latencies, Sighting>
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<tasks {
                    group.addTask { for number in 0..<count { try await store.dispatch(Sighting(sent: number)) } }
                }
                try await group.waitForAll()
            }
        }

        /// How many entries of the same size a second `redis-benchmark` appends.
        private func plainRate(_ redis: RedisProcess, clients: Int, _ pipeline: Int, count: Int) throws -> Double {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-benchmark")
            process.arguments =
                [
                    "-p", "\(redis.port)", "-n", "\(count)", "-c", "\(clients)", "-P", "\(pipeline)", "--csv", "XADD",
                    "plain",
                ]
                + [
                    "*", "origin", "replica.1234567890123", "number", "1234", "schema", "1", "action",
                    #"{"sent":12345678}"#,
                ]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            // The last line: the command, which has quotes and commas in it, then requests a second and latencies.
            let fields = text.split(separator: "\n").last?.split(separator: "\",\"") ?? []
            guard let rate = fields.dropFirst().first.flatMap({ Double($0) }) else {
                throw RedisProcess.Failure(reason: "redis-benchmark says: \(text)")
            }
            return rate
        }

        // MARK: From process to process

        private func measurePropagation(_ redis: RedisProcess, _ followers: Int) async throws {
            let count = 2_000
            let children = try (0..<followers).map { _ in try Follower(redis) }
            for child in children { try child.waitUntilJoined() }
            let store = try await join(redis, "propagation")
            let clock = ContinuousClock()
            let start = clock.now
            var own = Latencies()
            for number in 0..<count {
                try await clock.sleep(until: start + .seconds(1) * number / rate)
                let sent = Moment.now
                try await store.dispatch(Sighting(sent: sent))
                own.note(Moment.now - sent)
            }
            print("\(followers + 1) replicas in as many processes, \(rate) actions a second")
            show("dispatch, until it returns", own.summary)
            let all = try children.map { try $0.report(after: count) }
            show("until another process has reduced it", Latencies(merging: all).summary)
            try await store.shutdown(drain: .cancelEffects)
            let load = try await join(redis, "load")
            let time = try await seconds { try await dispatch(actions / 64, 64, to: load) }
            show("dispatch, 64 tasks, nobody following", format(Double(actions) / time))
            try await load.shutdown(drain: .cancelEffects)
            let followed = try await join(redis, "propagation")
            let followedTime = try await seconds { try await dispatch(actions / 64, 64, to: followed) }
            show("dispatch, 64 tasks, all following", format(Double(actions) / followedTime))
            try await followed.shutdown(drain: .cancelEffects)
            withExtendedLifetime(children) {}
        }
    }
#endif
