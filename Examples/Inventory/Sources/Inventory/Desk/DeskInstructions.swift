import Dispatch
import Foundation

/// The instructions for a desk, as lines on its standard input.
///
/// `finish` makes it stop serving orders; `report 17` makes it report its replica of the stock after 17 actions, and
/// end. The end of the input, or SIGTERM, ends it without a report.
struct DeskInstructions: Sendable {
    /// Set when it is to stop serving orders.
    let isFinishing = Mark()
    /// The revisions of its reports. Ends with the input.
    let reports: AsyncStream<UInt64>
    private let continuation: AsyncStream<UInt64>.Continuation

    private init() { (reports, continuation) = AsyncStream.makeStream() }

    /// The default instance of the process.
    static func ofProcess() -> DeskInstructions {
        let instructions = DeskInstructions()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        // Retains itself, because it is needed until the end.
        source.setEventHandler { withExtendedLifetime(source) { instructions.leave() } }
        source.resume()
        // A thread, because it waits for the input.
        Thread.detachNewThread {
            while let line = readLine() { instructions.follow(line) }
            instructions.leave()
        }
        return instructions
    }

    private func follow(_ line: String) {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("finish", 1): isFinishing.set()
        case ("report", 2): if let revision = UInt64(words[1]) { continuation.yield(revision) }
        default: break
        }
    }

    private func leave() {
        isFinishing.set()
        continuation.finish()
        // If the server does not come back, open orders stay open, in the log, until the next start.
        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { exit(ProgramStatus.failure.rawValue) }
    }
}
