import Synchronization

/// A clock that stands still until it is advanced. It has no sleepers: fuzzed code only reads it.
final class ManualTime: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// No program runs longer.
    static let longest = Duration.seconds(1 << 40)

    private let time = Mutex(Instant(offset: .zero))

    var now: Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws { throw CancellationError() }

    func advance(by duration: Duration) {
        time.withLock { $0.offset = min($0.offset + min(duration, Self.longest), Self.longest) }
    }
}
