import ActionLogConformance
import ActorStore
import ActorStoreSimulation
import Foundation
import Testing

/// A proxy between processes and a server that forwards data late, in part, or not at all. Each connection has two
/// threads.
///
/// A server that takes over is a new target, so processes follow a fail-over without another address.
final class FaultyProxy: Sendable {
    /// The fault of a connection.
    enum Fault: Sendable, Equatable {
        case none
        /// It is broken after a number of bytes in one direction.
        case cut(after: Int)
        /// From a number of bytes on nothing goes through, without an error on either side.
        case silence(after: Int)
        /// All data is delayed, in milliseconds.
        case delay(Int)
    }

    /// The remaining bytes of a connection, for a fault that counts them.
    private struct Line {
        let client: Int32
        let server: Int32
        var fault: Fault
        /// The number of ended directions, of two.
        var ended = 0
    }

    private struct State {
        var target: Int
        var generator: SimulationGenerator
        /// Whether new connections have faults.
        var isFaulty = false
        /// Whether nothing goes through, without an error on either side.
        var isHeld = false
        var lines: [Int: Line] = [:]
        var names = 0
        var isOver = false
    }

    /// Its own port.
    let port: Int
    private let listener: Int32
    private let state: LockedValue<State>

    init(to target: Int, seed: UInt64 = 1) throws {
        state = LockedValue(State(target: target, generator: SimulationGenerator(seed: seed)))
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try #require(freeLoopbackPort())
        self.listener = listener
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isBound = Self.withAddress(port) { bind(listener, $0, $1) == 0 }
        try #require(isBound && listen(listener, 128) == 0, "The proxy cannot listen: \(errno)")
        Thread.detachNewThread { [weak self] in Self.accept(at: listener) { self?.open($0) } }
    }

    deinit { end() }

    // MARK: Controls of a test

    /// The port of the server.
    var target: Int {
        get { state.withLock { $0.target } }
        set { state.withLock { $0.target = newValue } }
    }

    /// Gives faults to new connections, or ends that.
    func setFaulty(_ isFaulty: Bool) { state.withLock { $0.isFaulty = isFaulty } }

    /// Blocks all data, or forwards all that was sent meanwhile.
    func setHeld(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    /// Breaks all connections.
    func cutConnections() { state.withLock { Self.cut(&$0) } }

    /// Breaks all connections, and accepts no others.
    func end() {
        state.withLock { state in
            if !state.isOver { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isOver = true
            Self.cut(&state)
        }
    }

    /// The number of connections so far.
    var connections: Int { state.withLock { $0.names } }

    private static func cut(_ state: inout State) {
        for line in state.lines.values {
            shutdown(line.client, Int32(SHUT_RDWR))
            shutdown(line.server, Int32(SHUT_RDWR))
        }
    }

    // MARK: Connections

    private static func withAddress<Result>(
        _ port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func accept(at listener: Int32, _ open: (Int32) -> Void) {
        while true {
            let client = acceptConnection(at: listener)
            if client >= 0 {
                open(client)
            } else if errno != EINTR && errno != ECONNABORTED {
                close(listener)
                return
            }
        }
    }

    private func open(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Self.withAddress(target, { connect(server, $0, $1) == 0 }) else {
            close(server)
            close(client)
            return
        }
        for descriptor in [client, server] {
            var yes: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        let name: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.names += 1
            let fault = state.isFaulty ? Self.fault(using: &state.generator) : .none
            state.lines[state.names] = Line(client: client, server: server, fault: fault)
            return state.names
        }
        guard let name else {
            close(server)
            close(client)
            return
        }
        Thread.detachNewThread { [self] in pass(client, server, name) }
        Thread.detachNewThread { [self] in pass(server, client, name) }
    }

    /// Usually some time after the connection was opened, so that it has been used.
    private static func fault(using generator: inout SimulationGenerator) -> Fault {
        let bytes = Int.random(in: 0...(1 << Int.random(in: 4...17, using: &generator)), using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<4: return .cut(after: bytes)
        case 4: return .silence(after: bytes)
        case 5, 6: return .delay(Int.random(in: 1...20, using: &generator))
        default: return .none
        }
    }

    /// Forwards one direction until it ends.
    private func pass(_ source: Int32, _ sink: Int32, _ name: Int) {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while case let count = read(source, &bytes, bytes.count), count > 0 {
            while state.withLock({ $0.isHeld && !$0.isOver }) { usleep(1_000) }
            let (allowed, isCut, delay) = take(count, of: name)
            if delay > 0 { usleep(useconds_t(delay * 1_000)) }
            var sent = 0
            while sent < allowed {
                let step = bytes[sent..<allowed].withUnsafeBytes {
                    send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if step <= 0 { break }
                sent += step
            }
            if isCut || sent < allowed { break }
        }
        end(name)
    }

    /// - Returns: The number of forwarded bytes, whether the connection is broken after them, and their delay.
    private func take(_ count: Int, of name: Int) -> (allowed: Int, isCut: Bool, delay: Int) {
        state.withLock { state in
            switch state.lines[name]?.fault {
            case .none?: return (count, false, 0)
            case .delay(let milliseconds)?: return (count, false, milliseconds)
            case .cut(let left)?:
                state.lines[name]?.fault = .cut(after: max(left - count, 0))
                return (min(count, left), count >= left, 0)
            case .silence(let left)?:
                state.lines[name]?.fault = .silence(after: max(left - count, 0))
                return (min(count, left), false, 0)
            case nil: return (0, true, 0)
            }
        }
    }

    /// One of the two directions has ended, and the other one ends with it.
    private func end(_ name: Int) {
        state.withLock { state in
            guard var line = state.lines[name] else { return }
            shutdown(line.client, Int32(SHUT_RDWR))
            shutdown(line.server, Int32(SHUT_RDWR))
            line.ended += 1
            state.lines[name] = line.ended < 2 ? line : nil
            guard line.ended == 2 else { return }
            close(line.client)
            close(line.server)
        }
    }
}
