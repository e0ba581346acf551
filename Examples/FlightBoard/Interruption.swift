import Dispatch
import Foundation

/// The wish of whoever runs the program that it end now: Ctrl-C, or `kill -INT`.
///
/// It is noted once. From then on the signal does what it does to any program, so that somebody who is in a greater
/// hurry presses Ctrl-C again.
struct Interruption: Sendable {
    /// It ends when the wish comes.
    let wishes: AsyncStream<Void>

    /// That of the process, from now on.
    static func ofProcess() -> Interruption {
        let (wishes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        // The source needs the signal not to end the process by itself.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            continuation.finish()
            // It holds on to itself as long as it may be needed.
            source.cancel()
        }
        source.resume()
        return Interruption(wishes: wishes)
    }

    /// One that never comes.
    static var never: Interruption {
        Interruption(wishes: AsyncStream { _ in })
    }

    /// One that has come before anything begins.
    static var now: Interruption {
        Interruption(wishes: AsyncStream { $0.finish() })
    }

    /// Waits until somebody wishes it, or the task is cancelled. For one task, once.
    func wait() async {
        for await _ in wishes {}
    }
}
