import Foundation

extension String {
    /// What the system says about the call that has just failed.
    static var lastSystemError: String { String(cString: strerror(errno)) }
}
