import Foundation

/// A descriptor to which lines are written, each by one call.
struct LineOutput: Sendable {
    let descriptor: Int32

    static let standard = LineOutput(descriptor: STDOUT_FILENO)
    static let error = LineOutput(descriptor: STDERR_FILENO)

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // That nobody listens is noticed by the end of the standard input.
        _ = Foundation.write(descriptor, bytes, bytes.count)
    }
}
