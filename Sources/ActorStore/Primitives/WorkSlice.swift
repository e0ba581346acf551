/// A bound on calls that are made in one go while others wait. A plain value.
///
/// No call begins once the slice is over. A slice that has just begun is not over, so there is always progress.
struct WorkSlice: Sendable {
    /// Whether no further call may begin.
    private(set) var isOver = false
    private var remaining: Int
    private let limits: WorkLimits
    private let end: Int64

    /// Begins a slice.
    init(_ limits: WorkLimits) {
        self.limits = limits
        remaining = limits.messagesPerAnswer
        end = limits.now() + limits.nanoseconds
    }

    /// Records the end of a call. Reads the time.
    mutating func finishPiece() {
        remaining -= 1
        isOver = remaining == 0 || limits.now() >= end
    }
}
