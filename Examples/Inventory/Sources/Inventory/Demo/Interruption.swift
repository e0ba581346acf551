import Dispatch
import Foundation

/// The user's request to end the program: Ctrl-C, or an equivalent signal.
struct Interruption: Sendable {
    /// Fires at the request.
    private let wishes: AsyncStream<Void>

    /// The default instance of the process.
    static func ofProcess() -> Interruption {
        let (wishes, continuation) = AsyncStream.makeStream(of: Void.self)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // The source needs the signal not to end the process by itself, which would leave the others behind.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // Retains itself, because it is needed until the end.
            source.setEventHandler { withExtendedLifetime(source) { continuation.finish() } }
            source.resume()
        }
        return Interruption(wishes: wishes)
    }

    /// Waits until the request, or until the task is cancelled. For one task, once.
    func wait() async {
        for await _ in wishes {}
    }
}
