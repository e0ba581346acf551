#if Replication
    import ActorStore
    import ActorStoreReplication
    import Foundation

    /// What the tests of replication run as processes of their own, and their benchmarks.
    ///
    /// - `ReplicationWorkload replica <port> <stream> <name>` dispatches from four tasks, and says of each action that
    ///   was acknowledged, until it is killed or reads `finish`; then it answers `report <position>` with its state
    ///   there.
    /// - `ReplicationWorkload benchmark` prints what replicas cost, with `follow` in processes of their own.
    @main
    struct ReplicationWorkload {
        static func main() async {
            do {
                try await run()
            } catch {
                // Not thrown any further: that would be a crash, with a report that keeps the output open.
                say("failed: \(error)")
                exit(1)
            }
        }

        private static func run() async throws {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch (arguments.first, arguments.count) {
            case ("replica", 4):
                guard let port = Int(arguments[1]) else { return usage() }
                try await ReplicaProcess(port: port, stream: arguments[2], name: arguments[3]).run()
            case ("follow", 3):
                guard let port = Int(arguments[1]) else { return usage() }
                try await Follower.run(port: port, stream: arguments[2])
            case ("benchmark", 1...2):
                try await Benchmark(actions: arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000).run()
            default: usage()
            }
        }

        private static func usage() {
            print("ReplicationWorkload replica <port> <stream> <name> | benchmark [actions]")
        }
    }
#else
    @main
    struct ReplicationWorkload {
        static func main() {
            print("This is a part of the package's trait: swift run --traits Replication ReplicationWorkload")
        }
    }
#endif
