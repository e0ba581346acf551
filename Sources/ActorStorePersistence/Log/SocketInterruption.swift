import Foundation
import Synchronization

/// A pair of sockets that is polled together with a connection, so that another thread can interrupt a wait for a
/// server.
///
/// It does not store the descriptor of the connection, whose number may be reused. Its own descriptors are closed when
/// neither the connection nor any interrupting code retains it.
package final class SocketInterruption: Sendable {
    /// A descriptor that becomes readable at the first interruption, and stays readable.
    package let descriptor: Int32
    private let writing: Int32
    private let noted = Atomic<Bool>(false)

    /// Creates the sockets. Fails, with the reason in `errno`, if no descriptors are available.
    package init?() {
        // No pipe: Swift does not import `pipe2()`, with which child processes do not inherit it.
        guard let ends = StreamSocket.openPair(isBlocking: false) else { return nil }
        (descriptor, writing) = ends
    }

    deinit {
        close(writing)
        close(descriptor)
    }

    /// Whether the connection was interrupted.
    package var isInterrupted: Bool { noted.load(ordering: .acquiring) }

    /// Interrupts running calls, and later ones.
    package func interrupt() {
        // Pairs with the load. The first byte always fits into the buffer of the socket.
        guard !noted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        while write(writing, [1], 1) < 0 && errno == EINTR {}
    }
}
