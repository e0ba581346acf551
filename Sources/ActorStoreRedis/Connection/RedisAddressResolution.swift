#if Redis
    import ActorStorePersistence
    import Foundation
    import Synchronization

    /// An address that a socket can connect to.
    struct SocketAddress: Sendable {
        let family: Int32
        /// The bytes of a `sockaddr` of this family.
        let bytes: [UInt8]
    }

    extension RedisServer.Address {
        /// A failed lookup.
        struct Failure: Error {
            /// Whether a retry can succeed.
            let isTransient: Bool
            let reason: String
        }

        /// Looks up the addresses of the server.
        ///
        /// `getaddrinfo` has no timeout, so a name is looked up on a separate thread. After a timeout, the thread runs
        /// until the system returns.
        func resolve(until deadline: ContinuousClock.Instant) throws(Failure) -> [SocketAddress] {
            switch self {
            case .socket(let path): return [try Self.local(path)]
            case .host(let host, let port):
                guard (1...65_535).contains(port) else {
                    throw Failure(isTransient: false, reason: "\(port) is not a port. Use one from 1 to 65,535.")
                }
                // An IP address needs no name server.
                if let numeric = try? Self.lookUp(host, port, AI_NUMERICHOST).get() { return numeric }
                let lookup = Lookup()
                Thread { lookup.finish(Self.lookUp(host, port, 0)) }.start()
                guard let found = lookup.wait(until: deadline) else {
                    throw Failure(isTransient: true, reason: "The lookup of the name \(host) took too long.")
                }
                return try found.get()
            }
        }

        /// The result of a lookup on another thread.
        private final class Lookup: Sendable {
            private let result = Mutex<Result<[SocketAddress], Failure>?>(nil)
            private let isFinished = DispatchSemaphore(value: 0)

            func finish(_ found: Result<[SocketAddress], Failure>) {
                result.withLock { $0 = found }
                isFinished.signal()
            }

            func wait(until deadline: ContinuousClock.Instant) -> Result<[SocketAddress], Failure>? {
                let left = ContinuousClock.now.duration(to: deadline)
                _ = isFinished.wait(timeout: .now() + max(left / .seconds(1), 0))
                return result.withLock { $0 }
            }
        }

        private static func lookUp(_ host: String, _ port: Int, _ flags: Int32) -> Result<[SocketAddress], Failure> {
            var hints = addrinfo()
            hints.ai_flags = flags | AI_NUMERICSERV
            hints.ai_family = AF_UNSPEC
            hints.ai_socktype = StreamSocket.type
            var list: UnsafeMutablePointer<addrinfo>?
            let status = getaddrinfo(host, "\(port)", &hints, &list)
            guard status == 0 else {
                return .failure(
                    Failure(
                        isTransient: true,
                        reason: "The lookup of the name \(host) failed: \(String(cString: gai_strerror(status)))."
                    )
                )
            }
            defer { freeaddrinfo(list) }
            var found: [SocketAddress] = []
            // Sound: the list is freed after the loop, and its addresses are copied.
            var next = list
            while let entry = next {
                if let address = entry.pointee.ai_addr {
                    let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
                    found.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
                }
                next = entry.pointee.ai_next
            }
            return .success(found)
        }

        private static func local(_ path: String) throws(Failure) -> SocketAddress {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array(path.utf8)
            // One zero byte ends the path.
            guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path), !name.contains(0) else {
                let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
                throw Failure(
                    isTransient: false,
                    reason: "The path of a socket must have 1 to \(limit) bytes, without NUL."
                )
            }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            return SocketAddress(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { Array($0) })
        }
    }
#endif
