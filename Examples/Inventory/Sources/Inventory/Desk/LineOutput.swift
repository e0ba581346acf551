import Foundation

/// A descriptor for lines, each written by one call.
struct LineOutput: Sendable {
    let descriptor: Int32

    static let standard = LineOutput(descriptor: STDOUT_FILENO)
    static let error = LineOutput(descriptor: STDERR_FILENO)

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // A missing reader is detected by the end of the standard input.
        _ = Foundation.write(descriptor, bytes, bytes.count)
    }
}
