/// The identity of an effect: any hashable value.
///
/// Two are equal if their values are of the same type and equal: `7` is not the identity that `7 as UInt32` is. An
/// optional that has a value is the identity that its value is.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
    private let identity: ExactIdentity

    /// The value.
    public var value: any Hashable & Sendable { identity.value }

    /// Makes an identity of a value; one that is an identity already stays what it is.
    public init(_ value: any Hashable & Sendable) {
        identity = ExactIdentity(unwrapping: value)
    }

    /// The value in plain text, without what is ``Redactable`` in it.
    public var description: String { ValueDescription.text(of: value) }
}

extension EffectID: IdentityWrapper {
    var wrappedIdentity: (any Hashable & Sendable)? { value }
}

/// What happens when an effect is about to begin while others with the same identity are running.
///
/// An effect counts from when it begins until it has ended or was cancelled; in a queue (``oldest(_:overflow:)`` with
/// ``EffectOverflow/suspend``) until its task has really ended, so that there are never more of them than the limit.
/// What is debounced or throttled begins when its time has come: while it waits for that it does not count, and then it
/// begins beside what runs. A queue counts only what has entered it: work with the same identity and another policy
/// runs beside it. Work that waits in a queue does not count for other policies. It begins when it has a place there,
/// and counts from then on. What actions it sends, and which effects come of those, does not matter. A group of effects
/// with the same identity that an effect is a part of, see ``Effect/cancellable(id:policy:fileID:line:)``, is not
/// another one: it is neither counted nor cancelled for a part of it. For other effects the group counts once, with all
/// of its parts.
public struct EffectPolicy: Sendable, Equatable {
    @usableFromInline
    enum Kind: Sendable, Equatable {
        case concurrent
        case cancelInFlight
        case ignoreIfRunning
        case newest(Int)
        case oldest(Int)
        case queue(Int)
    }

    @usableFromInline let kind: Kind

    /// All run.
    public static let concurrent = EffectPolicy(kind: .concurrent)
    /// Those that run are cancelled, and those that have still to begin; the new one begins at once, without waiting
    /// for their end. Actions of earlier ones that have not been reduced are dropped, also if those have ended. What
    /// stands after it in the same effect, and has still to be reached, is spared, as by ``Effect/cancel(id:)``.
    public static let cancelInFlight = EffectPolicy(kind: .cancelInFlight)
    /// The new one does not begin.
    public static let ignoreIfRunning = EffectPolicy(kind: .ignoreIfRunning)
    /// One after the other, in the order in which they were asked for: `oldest(1, overflow: .suspend)`. What is a part
    /// of a group that has its place in the queue of the same identity needs none of its own, and does not wait.
    public static let serial = EffectPolicy.oldest(1, overflow: .suspend)

    /// The newest ones run: when there are more than `limit`, the oldest is cancelled.
    ///
    /// - Parameter limit: how many run; at least 1. Less is a programmer error, and traps.
    public static func newest(_ limit: Int) -> EffectPolicy {
        guard limit > 0 else {
            fatalError("EffectPolicy.newest(\(limit)) lets no effect run. Give a limit of at least 1.")
        }
        return EffectPolicy(kind: .newest(limit))
    }

    /// The oldest ones run: when there are `limit`, a new one waits for the end of one of them, or is dropped.
    ///
    /// - Parameters:
    ///   - limit: how many run; at least 1. Less is a programmer error, and traps.
    ///   - overflow: what becomes of more.
    public static func oldest(_ limit: Int, overflow: EffectOverflow) -> EffectPolicy {
        guard limit > 0 else {
            fatalError("EffectPolicy.oldest(\(limit), …) lets no effect run. Give a limit of at least 1.")
        }
        return EffectPolicy(kind: overflow == .suspend ? .queue(limit) : .oldest(limit))
    }

    /// Whether the end of one makes another begin.
    var isQueue: Bool { queueLimit != .max }

    /// How many run at the same time in a queue.
    var queueLimit: Int {
        if case .queue(let limit) = kind { limit } else { .max }
    }
}

/// What becomes of an effect that comes when as many are running as may; see ``EffectPolicy/oldest(_:overflow:)``.
public enum EffectOverflow: Sendable, Equatable {
    /// It begins when one of those has ended, in the order in which they were asked for. Its task is there and waits,
    /// in the context of its dispatcher, so that it can be cancelled and awaited like any other.
    case suspend
    /// It does not begin.
    case drop
}

/// When an effect begins that is asked for again and again: a debounce or a throttle.
@usableFromInline
struct EffectTiming: Sendable {
    enum Kind: Sendable {
        /// When nothing was asked for during the interval, but not longer than this after the first.
        case debounce(maxWait: Duration?)
        /// Once in each interval: at once, and at the end of it the latest, if there is to be one.
        case throttle(latest: Bool)
    }

    let kind: Kind
    let interval: Duration
    let clock: any Clock<Duration>

    init(kind: Kind, interval: Duration, clock: any Clock<Duration>) {
        // So that no sum of times overflows.
        if case .debounce(let maxWait) = kind {
            self.kind = .debounce(maxWait: maxWait?.boundedWait)
        } else {
            self.kind = kind
        }
        self.interval = interval.boundedWait
        self.clock = clock
    }

    /// Tells how much time has passed since now.
    func stopwatch() -> Stopwatch { Stopwatch(clock) }
}

/// The intervals of a throttle: a plain value.
struct ThrottleWindow {
    /// When an effect may begin.
    enum Beginning: Equatable {
        case now
        case after(Duration)
        case never
    }

    private let stopwatch: Stopwatch
    /// When the last effect began, and with it the interval.
    private var start: Duration = .zero
    /// The longest interval that was asked for.
    private var longest: Duration

    /// The first interval begins now.
    init(_ timing: EffectTiming) {
        stopwatch = timing.stopwatch()
        longest = timing.interval
    }

    /// Says when an effect may begin that is asked for now. If that is now, the next interval begins; if it is later,
    /// the next interval begins with ``begin(before:)``.
    mutating func admit(interval: Duration, latest: Bool) -> Beginning {
        longest = max(longest, interval)
        let now = stopwatch.elapsed()
        if now >= start + interval {
            start = now
            return .now
        }
        return latest ? .after(start + interval - now) : .never
    }

    /// Records the interval of a request that is dropped because another one waits.
    mutating func reject(interval: Duration) { longest = max(longest, interval) }

    /// Takes note that an effect which had to wait began so long ago, which can be later than it was to begin.
    mutating func begin(before duration: Duration) { start = stopwatch.elapsed() - duration }

    /// Whether an interval of this length is over.
    func isOver(after interval: Duration) -> Bool { stopwatch.elapsed() >= start + interval }

    /// Whether every interval is over that was asked for, so that it can be forgotten if nothing waits.
    var isOver: Bool { isOver(after: longest) }
}
