import Benchmarking
import Foundation

/// The reason why an observer cannot report its signals.
public struct ObserverFailure: Error, CustomStringConvertible, Equatable {
    /// The problem, in a sentence.
    public let description: String

    /// - Parameter description: The problem, in a sentence.
    public init(_ description: String) { self.description = description }
}

/// The messages between a sending and an observing process: a line of JSON each.
public enum ObserverMessage: Codable, Equatable, Sendable {
    /// The observer sees signals sent from now on.
    case ready
    /// The sender requests a report, after a number of signals since the beginning.
    case report(after: Int)
    /// The latencies of the signals since the last report, in picoseconds.
    case seen(Histogram)
    /// The observer has failed.
    case failed(String)
}

/// Messages over a socket. One thread at a time uses it.
public final class ObserverChannel {
    private let socket: Int32
    /// Received bytes without a complete line.
    private var received: [UInt8] = []

    /// - Parameter socket: A connected socket, which is not closed with this.
    public init(_ socket: Int32) { self.socket = socket }

    /// Sends a message.
    public func send(_ message: ObserverMessage) throws {
        let line = try JSONEncoder().encode(message) + [UInt8(ascii: "\n")]
        var rest = line[...]
        while !rest.isEmpty {
            // Without the signal that ends a process whose peer has ended.
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Self.noSignal) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ObserverFailure("Nothing can be sent: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    #if os(Linux)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let noSignal: Int32 = 0
    #endif

    /// Waits for a message.
    ///
    /// - Returns: The message; nil if the other side has ended.
    public func receive() throws -> ObserverMessage? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(received[..<end])
                received.removeSubrange(...end)
                return try JSONDecoder().decode(ObserverMessage.self, from: line)
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(socket, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ObserverFailure("Nothing is received: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return nil }
            received += bytes[..<count]
        }
    }
}
