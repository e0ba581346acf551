import Dispatch
import Foundation

/// What whoever runs a desk wants of it, by lines on its standard input.
///
/// `finish` has it serve no further orders; `report 17` has it say what its replica of the stock is when that is made
/// of 17 actions, and end. The end of the input, or SIGTERM, has it end without that.
struct DeskInstructions: Sendable {
    /// Set when it is to serve no further orders.
    let isFinishing = Mark()
    /// At which revisions it is to report. Ends when nobody wants a report any more.
    let reports: AsyncStream<UInt64>
    private let continuation: AsyncStream<UInt64>.Continuation

    private init() { (reports, continuation) = AsyncStream.makeStream() }

    /// Those of the process, from now on.
    static func ofProcess() -> DeskInstructions {
        let instructions = DeskInstructions()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        // It holds on to itself, because it is needed until the end.
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
        // If the server does not come back, what is open stays open, in the log, until the next start.
        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { exit(ProgramStatus.failure.rawValue) }
    }
}
