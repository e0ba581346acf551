import Foundation
import Synchronization

/// A pair of sockets that is polled together with a connection, so that another thread can end what waits for a server.
///
/// It knows nothing of the connection's own descriptor, whose number may be another one's soon. Its descriptors are
/// closed when neither the connection nor anybody who may interrupt has it any more.
package final class SocketInterruption: Sendable {
    /// Can be read as soon as somebody has interrupted, and stays so.
    package let descriptor: Int32
    private let writing: Int32
    private let noted = Atomic<Bool>(false)

    /// Fails, with the reason in `errno`, if there are no descriptors left.
    package init?() {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            // Closed on exec from the first moment, which pipes are not: Swift does not see pipe2().
            let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { return nil }
        #else
            guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        #endif
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(writing)
        close(descriptor)
    }

    /// Whether somebody has interrupted.
    package var isInterrupted: Bool { noted.load(ordering: .acquiring) }

    /// Ends calls that are under way, and later ones.
    package func interrupt() {
        // Pairs with the load. The first byte always fits into the buffer of the socket.
        guard !noted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        while write(writing, [1], 1) < 0 && errno == EINTR {}
    }
}
