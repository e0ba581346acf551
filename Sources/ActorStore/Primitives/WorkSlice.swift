/// A bound on work that is done in one go while others wait: 64 pieces, or a millisecond.
///
/// No piece begins once the slice is over. A slice that has just begun is not over, so there is always progress.
package struct WorkSlice: Sendable {
    /// The number of pieces after which a slice is over.
    package static let pieces = 64
    /// The time after which a slice is over.
    package static let time = Duration.milliseconds(1)

    /// Whether no further piece may begin.
    package private(set) var isOver = false
    private var finishedPieces = 0
    private let clock: MonotonicClock
    private let end: Duration

    /// Begins a slice.
    package init(on clock: MonotonicClock) {
        self.clock = clock
        end = clock.now() + Self.time
    }

    /// Records the end of a piece. Reads the clock.
    package mutating func finishPiece() {
        finishedPieces += 1
        isOver = finishedPieces >= Self.pieces || clock.now() >= end
    }
}
