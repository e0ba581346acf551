import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A port of the loopback interface.
enum LoopbackPort {
    /// A port that is unused at the moment.
    ///
    /// It is below the ports of outgoing connections: while the server is down, a desk that tries to reach it could be
    /// given the server's own port, connect to itself, and prevent the server's restart.
    static func free() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 20_000..<30_000)
            if isFree(port) { return port }
        }
        throw DemoError.noPort
    }

    private static func isFree(_ port: Int) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
