import Foundation

/// The capabilities of the terminal behind standard output.
struct Terminal: Sendable {
    /// Whether a frame can be drawn over the one before.
    let isLive: Bool
    let usesColour: Bool
    let usesUnicode: Bool
    private let descriptor: Int32

    init(descriptor: Int32 = STDOUT_FILENO, environment: [String: String]) {
        self.descriptor = descriptor
        let kind = environment["TERM"] ?? ""
        isLive = isatty(descriptor) == 1 && !kind.isEmpty && kind != "dumb"
        usesColour = isLive && (environment["NO_COLOR"] ?? "").isEmpty
        let names = [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
        let locale = names.compactMap { $0 }.first { !$0.isEmpty } ?? ""
        usesUnicode = ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
    }

    /// The current columns and rows: windows change their size.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
