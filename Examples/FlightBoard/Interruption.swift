import Dispatch
import Foundation

/// The user's request to end the program: Ctrl-C, or `kill -INT`.
///
/// The first signal is recorded. From then on the signal has its default action, so that a second Ctrl-C ends the
/// program at once.
struct Interruption: Sendable {
    /// Fires at the request.
    let wishes: AsyncStream<Void>

    /// The default instance of the process.
    static func ofProcess() -> Interruption {
        let (wishes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        // The source needs the signal not to end the process by itself.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            continuation.finish()
            // Retains itself while it may be needed.
            source.cancel()
        }
        source.resume()
        return Interruption(wishes: wishes)
    }

    /// An interruption that never comes.
    static var never: Interruption {
        Interruption(wishes: AsyncStream { _ in })
    }

    /// An interruption that has come before anything begins.
    static var now: Interruption {
        Interruption(wishes: AsyncStream { $0.finish() })
    }

    /// Waits until the request, or until the task is cancelled. For one task, once.
    func wait() async {
        for await _ in wishes {}
    }
}
