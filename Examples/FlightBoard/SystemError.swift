import Foundation

extension String {
    /// The system's description of the last failed call.
    static var lastSystemError: String { String(cString: strerror(errno)) }
}
