import ActorStore
import Dispatch

/// Reads snapshots back beside the writer, through separate connections, until the store ends. After that, the store
/// does not use the log, so that its files can be moved, deleted or replaced.
final class SnapshotReader: Sendable {
    private struct Contents {
        var isOver = false
        /// The number of running reads.
        var readings = 0
        var interruptions: [ObjectIdentifier: ActionLogInterruption] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let log: any ActionLog
    private let contents = LockedValue(Contents())

    init(_ log: any ActionLog) { self.log = log }

    /// Runs a closure with a connection, on a thread that may block.
    ///
    /// - Parameters:
    ///   - body: Uses the connection.
    ///   - completion: Receives the result when the connection is closed; ``ActionLogError/Code/closed`` after the end.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ActionLogConnection) throws(ActionLogError) -> Value,
        then completion: @escaping @Sendable (Result<Value, ActionLogError>) -> Void
    ) {
        let begins = contents.withLock { contents in
            if !contents.isOver { contents.readings += 1 }
            return !contents.isOver
        }
        guard begins else { return completion(.failure(closed)) }
        DispatchQueue.global(qos: .utility).async { [self] in
            let result = Result { () throws(ActionLogError) in try perform(body) }
            completion(result)
            finish()
        }
    }

    private func perform<Value>(
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Value
    ) throws(ActionLogError) -> Value {
        let connection = try log.connect()
        let isOver = contents.withLock { contents in
            contents.interruptions[ObjectIdentifier(connection)] = connection.interruption
            return contents.isOver
        }
        defer { contents.withLock { $0.interruptions[ObjectIdentifier(connection)] = nil } }
        if isOver { throw closed }
        return try body(connection)
    }

    private func finish() {
        let waiters = contents.withLock { contents in
            contents.readings -= 1
            guard contents.readings == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private var closed: ActionLogError { .closed(in: log.name) }

    /// Starts no more reads, and interrupts running ones.
    func interrupt() {
        let interruptions = contents.withLock { contents in
            contents.isOver = true
            return Array(contents.interruptions.values)
        }
        for interruption in interruptions { interruption.interrupt() }
    }

    /// Starts no more reads, interrupts running ones, and waits until they have ended.
    func end() async {
        interrupt()
        await idle()
    }

    /// Waits until no read is running.
    func idle() async {
        await withCheckedContinuation { waiter in
            let isIdle = contents.withLock { contents in
                if contents.readings > 0 { contents.waiters.append(waiter) }
                return contents.readings == 0
            }
            if isIdle { waiter.resume() }
        }
    }
}

/// Whether snapshots are being read back for the retention: a plain value. One read-back runs at a time, because it can
/// take longer than the time between two snapshots.
enum SnapshotVerification {
    case idle, running
    /// Another read-back follows the running one, because there are newer snapshots.
    case followed

    /// Begins a read-back, or records that another one must follow the running one.
    ///
    /// - Parameter hasNewer: Whether there is a newer snapshot than those that are being read back.
    /// - Returns: Whether a read-back begins.
    mutating func begin(hasNewer: Bool) -> Bool {
        if self == .idle {
            self = .running
            return true
        }
        if hasNewer { self = .followed }
        return false
    }

    /// Records that a read-back has ended.
    ///
    /// - Returns: Whether another one must follow.
    mutating func finish() -> Bool {
        defer { self = .idle }
        return self == .followed
    }
}

/// The snapshots that were read back, the newest first, and the first error, or a later one that is transient.
typealias ReadBack = (snapshots: [ActionLogSnapshot], problem: ActionLogError?)

extension ActionLogConnection {
    /// Reads the newest snapshots back, before anything is deleted behind them. A server that has taken over may lack
    /// some that were read before.
    ///
    /// - Parameters:
    ///   - state: The type of the states.
    ///   - count: The number of readable snapshots.
    ///   - known: The snapshots that were read before, which are not read again.
    ///   - coding: Decodes the snapshots.
    ///   - counts: Returns whether anything may be deleted behind a snapshot.
    /// - Returns: All that exist and were read, now or before.
    func readBack<State: Codable & Sendable>(
        _ state: State.Type,
        newest count: Int,
        except known: RetainedSnapshots,
        coding: EntryCoding,
        where counts: (ActionLogSnapshot) -> Bool = { _ in true }
    ) throws(ActionLogError) -> ReadBack {
        var (read, problem): ([ActionLogSnapshot], ActionLogError?) = ([], nil)
        for snapshot in try snapshots().filter(counts) {
            if !known.contains(snapshot) {
                guard read.count < max(count, 1), problem?.isTransient != true else { continue }
                do throws(ActionLogError) {
                    let _: LoggedState<State> = try SnapshotCoding(coding: coding).load(snapshot, by: self)
                } catch {
                    // Another store may have deleted it meanwhile.
                    if try snapshots().contains(snapshot), problem == nil || error.isTransient { problem = error }
                    continue
                }
            }
            read.append(snapshot)
        }
        return (read, problem)
    }
}

extension SnapshotReader {
    /// Reads the newest snapshots back, as ``ActionLogConnection`` does, through a separate connection.
    ///
    /// - Parameter completion: Receives the result; without snapshots if the log cannot be read.
    func readBack<State: Codable & Sendable>(
        _ state: State.Type,
        newest count: Int,
        except known: RetainedSnapshots,
        coding: EntryCoding,
        where counts: @escaping @Sendable (ActionLogSnapshot) -> Bool = { _ in true },
        then completion: @escaping @Sendable (ReadBack) -> Void
    ) {
        read { connection throws(ActionLogError) in
            try connection.readBack(state, newest: count, except: known, coding: coding, where: counts)
        } then: { result in
            switch result {
            case .success(let read): completion(read)
            case .failure(let error): completion(([], error))
            }
        }
    }
}
