import ActorStore
import ActorStorePersistence
import Benchmarking
import Foundation
import Propagation

/// The command of the processes that observe a benchmark's signals: it responds on its standard input, which is a
/// socket, until its end.
enum ObserverCommand {
    static func run(_ words: [String]) async -> Never {
        let channel = ObserverChannel(0)
        do {
            let sightings = Sightings()
            let observation = try await observe(try ObserverTask(words), sightings)
            try channel.send(.ready)
            while let message = try channel.receive() {
                guard case .report(let count) = message else { throw ObserverFailure("\(message) is not understood.") }
                switch sightings.take(count) {
                case .success(let latencies): try channel.send(.seen(latencies))
                case .failure(let failure): try channel.send(.failed(failure.description))
                }
            }
            withExtendedLifetime(observation) {}
            exit(0)
        } catch {
            try? channel.send(.failed("\(error)"))
            exit(1)
        }
    }

    /// Begins observing.
    ///
    /// - Returns: The observation, for as long as it is retained.
    private static func observe(_ task: ObserverTask, _ sightings: Sightings) async throws -> any Sendable {
        switch (task.means, task.place) {
        case (.replica, .redis(let port)):
            return try await Replica(of: RedisInstance.log(task.stream, port: port), sightings)
        case (.replica, .postgres(let connectionString)):
            return try await Replica(of: PostgresInstance.log(task.stream, connectionString), sightings)
        case (.plain, .redis(let port)):
            return try follow(RedisFeed(port: port, stream: task.stream), sightings)
        case (.plain, .postgres(let connectionString)):
            return try follow(PostgresFeed(connectionString, table: task.stream), sightings)
        }
    }

    private static func follow(_ feed: some SignalFeed, _ sightings: Sightings) throws -> any Sendable {
        try feed.beginFollowing()
        let thread = Thread {
            do {
                try feed.follow { sightings.note(try JSONStateCodec().decode(Signal.self, from: $0)) }
            } catch {
                print("The feed has ended: \(error)")
                exit(1)
            }
        }
        thread.start()
        return feed
    }

    private struct Replica: Sendable {
        let store: ReplicatedStore<NewestSignal, Signal>
        let observation: StoreObservation

        init(of log: some ActionLog, _ sightings: Sightings) async throws {
            store = try await log.openReplica()
            observation = store.store.observe(\.signal) { signal in
                if let signal { sightings.note(signal) }
            }
        }
    }
}

/// The state of a replica.
struct NewestSignal: Codable, Sendable {
    var signal: Signal?
    var count = 0
}

extension ActionLog {
    /// A replica of the last signal.
    func openReplica() async throws -> ReplicatedStore<NewestSignal, Signal> {
        try await Store.replicated(through: self, initialState: NewestSignal()) { newest, signal in
            newest.signal = signal
            newest.count += 1
        }
    }
}
