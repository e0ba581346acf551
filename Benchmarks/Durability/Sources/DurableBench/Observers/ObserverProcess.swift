import Benchmarking
import Foundation
import Propagation
import Synchronization

/// A process that sees the signals of this one; it ends with this one in any case.
final class ObserverProcess: Sendable {
    private let socket: Int32
    private let process: ChildProcess
    /// The file of its errors.
    private let log: String
    // Sound: one report at a time is requested, each on one thread.
    private nonisolated(unsafe) let channel: ObserverChannel

    /// Starts this program with another command.
    ///
    /// - Parameters:
    ///   - task: The observed data.
    ///   - folder: A folder that it may write to.
    init(_ task: ObserverTask, in folder: Folder) throws {
        var ends: [Int32] = [-1, -1]
        // Closed on exec, so that no other child keeps it open.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SetUpError("There are no descriptors.")
        }
        defer { close(ends[0]) }
        // Longer than an observer waits for its signals.
        var patience = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        socket = ends[1]
        channel = ObserverChannel(ends[1])
        log = folder.path + "/observer-\(UUID().uuidString)"
        do {
            let words = [CommandLine.arguments[0], ObserverTask.command] + task.words
            process = try ChildProcess(words, input: ends[0], output: log)
        } catch {
            close(ends[1])
            throw error
        }
    }

    deinit {
        // The signal of its end.
        close(socket)
        _ = process.wait()
    }

    /// Waits until it sees signals.
    func waitUntilReady() async throws {
        guard case .ready = try await blocking({ try self.channel.receive() }) else { throw failure("is not ready") }
    }

    /// The signals seen since the last report.
    ///
    /// - Parameter count: The number of signals sent since the beginning, for which it waits.
    func report(after count: Int) async throws -> Histogram {
        let answer = try await blocking {
            try self.channel.send(.report(after: count))
            return try self.channel.receive()
        }
        switch answer {
        case .seen(let latencies): return latencies
        case .failed(let reason): throw failure("has failed: \(reason)")
        default: throw failure("has ended")
        }
    }

    private func failure(_ what: String) -> SetUpError {
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return SetUpError("An observer \(what)\(said.isEmpty ? "" : "\n\(said)")")
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
