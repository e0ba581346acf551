import Dispatch
import Foundation

/// The wish of whoever runs the program that it end now: Ctrl-C, or a signal that asks for the same.
struct Interruption: Sendable {
    /// It ends when the wish comes.
    private let wishes: AsyncStream<Void>

    /// That of the process, from now on.
    static func ofProcess() -> Interruption {
        let (wishes, continuation) = AsyncStream.makeStream(of: Void.self)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // The source needs the signal not to end the process by itself, which would leave the others behind.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // It holds on to itself, because it is needed until the end.
            source.setEventHandler { withExtendedLifetime(source) { continuation.finish() } }
            source.resume()
        }
        return Interruption(wishes: wishes)
    }

    /// Waits until somebody wishes it, or the task is cancelled. For one task, once.
    func wait() async {
        for await _ in wishes {}
    }
}
