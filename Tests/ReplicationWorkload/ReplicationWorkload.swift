import ActorStore
import ActorStoreFoundation
import ActorStorePersistence
import Foundation
import Synchronization

/// A process with a store, which the tests kill; see ``WorkloadOptions`` for its arguments.
///
/// It dispatches from four tasks, and reads from another one, until it is killed, its store ends, or it reads `finish`.
/// Then it waits until all owed operations have been done, and responds to `report <position>` with its state there. It
/// ends with its input.
///
/// It prints a history: `HistoryEvent` of the tests reads it.
@main
struct ReplicationWorkload {
    static func main() async {
        guard let options = WorkloadOptions(CommandLine.arguments.dropFirst()) else {
            print("ReplicationWorkload kind=replica|holder|durable engine=redis|postgres port=<port> name=<name> …")
            exit(2)
        }
        let worker = Worker(options)
        do {
            try await worker.run()
            _exit(0)
        } catch {
            // Not rethrown: that would be a crash, with a report that keeps the output open. Nor does the process call
            // `exit`, which removes data that connecting threads need.
            if let error = error as? ActionLogError {
                say("stopped \(error.code.name) \(error)")
                _exit(3)
            }
            say("failed: \(error)")
            _exit(1)
        }
    }
}

/// One process, with one store after the other.
final class Worker: Sendable {
    private static let tasks = 4

    private let options: WorkloadOptions
    private let isFinishing = Mark()
    /// The number of writers so far, so that each has its own name.
    private let writers = Atomic(0)

    init(_ options: WorkloadOptions) { self.options = options }

    func run() async throws {
        let reports = orders()
        var store = try await open()
        while true {
            do {
                try await work(with: store)
                break
            } catch let error as ActionLogError where options.kind == .durable && Self.isTakenOver(error) {
                // Entries in the log are known to every opening process.
                say("reopening \(error.code.name)")
                await store.end()
                store = try await open()
            }
        }
        say("idle")
        for await position in reports {
            try await store.wait(for: position)
            let state = store.snapshot
            say("state \(store.revision) \(try state.text)")
        }
        await store.end()
    }

    /// Whether a durable store ends in this way when its server is away for long, or another process has taken over the
    /// log.
    private static func isTakenOver(_ error: ActionLogError) -> Bool { error.isTransient || error.code == .fenced }

    private func open() async throws -> any TallyStore {
        let store = try await options.open()
        say("joined \(now()) \(store.revision)")
        if options.kind != .replica {
            store.takeErrors()
            store.settle { [weak store] key in
                say("did \(key) \(store?.lease?.token ?? 0)")
                // Occasionally it is sent again.
                if Int.random(in: 0..<10) == 0 { throw CancellationError() }
            }
        }
        return store
    }

    private func work(with store: any TallyStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.tasks { group.addTask { try await self.write(to: store) } }
            group.addTask { try await self.read(from: store) }
            if options.kind == .holder { group.addTask { try await self.watchLeases(of: store) } }
            // The first error ends all.
            do { for try await _ in group {} } catch {
                group.cancelAll()
                throw error
            }
        }
        guard options.kind != .replica else { return }
        while !store.snapshot.isSettled {
            if let failure = store.failure { throw failure }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: Dispatches

    private func write(to store: any TallyStore) async throws {
        while !isFinishing.isSet {
            let writer = "\(options.name)/\(writers.add(1, ordering: .relaxed).newValue)"
            for number in 1... {
                if isFinishing.isSet { return }
                // After an unknown outcome the writer does not know its next number either.
                guard try await dispatch(Count(writer: writer, number: number), to: store) else { break }
            }
        }
    }

    /// - Returns: Whether it is known to have been reduced.
    private func dispatch(_ count: Count, to store: any TallyStore) async throws -> Bool {
        var count = count
        // Owed operations are not done without a lease.
        if options.kind != .replica {
            count.isOwing = count.number % 7 == 0
            if options.hasReminders, count.number % 11 == 0 {
                count.reminder = WallClock().now.advanced(by: .milliseconds(Int.random(in: 20...200)))
            }
        }
        let isAsking = count.number.isMultiple(of: 2)
        say("begin \(now()) \(count.writer) \(count.number)\(count.isOwing ? " owing" : "")")
        do {
            if isAsking {
                let point = try await store.ask(count)
                say("end \(now()) \(count.writer) \(count.number) \(point.revision) \(point.digest)")
            } else {
                try await store.dispatch(count)
                say("end \(now()) \(count.writer) \(count.number)")
            }
            return true
        } catch {
            if let failure = store.failure { throw failure }
            if Task.isCancelled { throw error }
            say("unknown \(count.writer) \(count.number) \(error)")
            return false
        }
    }

    // MARK: Reads

    private func read(from store: any TallyStore) async throws {
        while !isFinishing.isSet {
            let begin = now()
            do {
                let state = try await store.read()
                say("read \(begin) \(now()) \(state.point.revision) \(state.point.digest)")
            } catch {
                if let failure = store.failure { throw failure }
                if Task.isCancelled { throw error }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Prints each lease once, with its holder, by this store and by the log.
    private func watchLeases(of store: any TallyStore) async throws {
        var known: Set<ActionLogLease> = []
        while !isFinishing.isSet {
            for lease in [store.lease, store.knownLease] {
                if let lease, known.insert(lease).inserted { say("lease \(lease.token) \(lease.holder)") }
            }
            if let failure = store.failure { throw failure }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The standard input, read on a thread that may block: the positions of reports.
    private func orders() -> AsyncStream<UInt64> {
        AsyncStream { continuation in
            Thread.detachNewThread { [isFinishing] in
                while let line = readLine() {
                    let words = line.split(separator: " ")
                    switch words.first {
                    case "finish": isFinishing.set()
                    case "report": if let position = words.last.flatMap({ UInt64($0) }) { continuation.yield(position) }
                    case "close": continuation.finish()
                    default: break
                    }
                }
                isFinishing.set()
                continuation.finish()
                // If the server does not come back, nothing else ends it.
                DispatchQueue.global().asyncAfter(deadline: .now() + 10) { _exit(1) }
            }
        }
    }
}

extension ActionLogError.Code {
    /// The code as one word.
    var name: String {
        let known: [(ActionLogError.Code, String)] = [
            (.disconnected, "disconnected"), (.full, "full"), (.inUse, "inUse"), (.busy, "busy"),
            (.lostEntries, "lostEntries"), (.fenced, "fenced"), (.unexpectedEnd, "unexpectedEnd"),
            (.unexpectedNumber, "unexpectedNumber"), (.trimmed, "trimmed"), (.damaged, "damaged"),
            (.unsafe, "unsafe"), (.diverged, "diverged"), (.closed, "closed"), (.refused, "refused"),
        ]
        return known.first { $0.0 == self }?.1 ?? "other"
    }
}

/// Nanoseconds of a clock that all processes of the machine share, and that is never set.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Prints a line in one call, so that it is complete or absent.
func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
}

/// Whether an event has happened.
final class Mark: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
