import ActorStore
import ActorStorePersistence
import Foundation
import Synchronization

/// A process with a replica, which the tests of replication kill: `ReplicationWorkload <engine> <port> <name>`.
///
/// It dispatches from four tasks, and prints each action that was acknowledged, until it is killed or reads `finish`; then
/// it answers `report <position>` with its state there. It ends with its input.
@main
struct ReplicationWorkload {
    private static let tasks = 4

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let engine = Engine(rawValue: arguments[1]), let port = Int(arguments[2]),
            let log = engine.log(port: port)
        else {
            print("ReplicationWorkload redis|postgres <port> <name>, in a build with the traits Redis and Postgres")
            exit(2)
        }
        do {
            try await run(through: log, name: arguments[3])
            exit(0)
        } catch {
            // Not thrown any further: that would be a crash, with a report that keeps the output open.
            say("failed: \(error)")
            exit(1)
        }
    }

    private static func run(through log: any ActionLog, name: String) async throws {
        let isFinishing = Mark()
        let reports = orders(isFinishing)
        let store = try await Tally.join(through: log, name: name)
        say("joined \(store.revision)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let writer = "\(store.origin)/\(task)"
                    for number in 1... {
                        if isFinishing.isSet { return }
                        try await store.dispatch(Tally.Action(writer: writer, number: number))
                        say("ack \(writer) \(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
        say("idle")
        for await position in reports {
            while store.statistics.position < position {
                if let failure = store.statistics.failure { throw failure }
                try await Task.sleep(for: .milliseconds(2))
            }
            say("state \(store.revision) \(try store.snapshot.text)")
        }
        await store.shutdown(drain: .finishEffects, within: .seconds(10))
    }

    /// What comes by the standard input, read on a thread that may wait for it: the positions of reports.
    private static func orders(_ isFinishing: Mark) -> AsyncStream<UInt64> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() {
                    let words = line.split(separator: " ")
                    switch words.first {
                    case "finish": isFinishing.set()
                    case "report": if let position = words.last.flatMap({ UInt64($0) }) { continuation.yield(position) }
                    default: break
                    }
                }
                isFinishing.set()
                continuation.finish()
                // If the server does not come back, nothing else ends it.
                DispatchQueue.global().asyncAfter(deadline: .now() + 10) { exit(1) }
            }
        }
    }
}

/// Prints a line by one call, so that it is there whole or not at all.
func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
}

/// Whether something has happened.
final class Mark: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
