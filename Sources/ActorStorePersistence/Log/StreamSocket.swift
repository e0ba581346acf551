import Foundation

/// Creates stream sockets that child processes do not inherit. The types and flags of systems differ; without flags, a
/// process that starts in the middle of a call still inherits the socket.
package enum StreamSocket {
    /// The type of a stream socket.
    package static var type: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// Creates a socket.
    ///
    /// - Parameters:
    ///   - family: The family of its addresses.
    ///   - isBlocking: Whether its calls wait.
    /// - Returns: The descriptor; -1 if that fails, with the reason in `errno`.
    package static func open(_ family: Int32, isBlocking: Bool = true) -> Int32 {
        let descriptor = socket(family, type | flags(isBlocking), 0)
        if descriptor >= 0 { prepare(descriptor, isBlocking) }
        return descriptor
    }

    /// Creates two connected sockets.
    ///
    /// - Parameter isBlocking: Whether their calls wait.
    /// - Returns: The descriptors; nil if that fails, with the reason in `errno`.
    package static func openPair(isBlocking: Bool = true) -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, type | flags(isBlocking), 0, &ends) == 0 else { return nil }
        for end in ends { prepare(end, isBlocking) }
        return (ends[0], ends[1])
    }

    /// The flags for the creation of a socket: with them, no child process that starts meanwhile inherits it.
    private static func flags(_ isBlocking: Bool) -> Int32 {
        #if canImport(Glibc)
            Int32(SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue))
        #elseif os(Linux)
            SOCK_CLOEXEC | (isBlocking ? 0 : SOCK_NONBLOCK)
        #else
            0
        #endif
    }

    /// Sets what the flags cannot set.
    private static func prepare(_ descriptor: Int32, _ isBlocking: Bool) {
        #if !os(Linux)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            if !isBlocking { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
            // Without this option, a write to a closed connection ends the process with a signal. Linux has a flag for
            // each write.
            var isOn: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
