import Foundation

/// Says on a terminal what is being measured, in one line that is written over.
struct Progress: Sendable {
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

    func show(_ identities: [String], done: Int, of all: Int) {
        guard isTerminal, let first = identities.first else { return }
        let others = identities.count > 1 ? " and \(identities.count - 1) more" : ""
        write("\r\u{1B}[K\(done + 1) of \(all): \(first.prefix(60))\(others)")
    }

    func clear() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
