/// The identity of an effect: any hashable value.
///
/// Two identities are equal if their values have the same type and are equal: `7` and `7 as UInt32` are different
/// identities. An optional with a value is the same identity as the value.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
    private let identity: ExactIdentity

    /// The value.
    public var value: any Hashable & Sendable { identity.value }

    /// Creates an identity from a value. A value that is already an identity is used unchanged.
    ///
    /// - Parameter value: The value.
    public init(_ value: any Hashable & Sendable) {
        identity = ExactIdentity(unwrapping: value)
    }

    /// The value as plain text, without its ``Redactable`` parts.
    public var description: String { ValueDescription.text(of: value) }
}

extension EffectID: IdentityWrapper {
    var wrappedIdentity: (any Hashable & Sendable)? { value }
}

/// The rule for an effect that is about to start while others with the same identity are running.
///
/// An effect counts as running from its start until it has ended or was cancelled. In a queue (``oldest(_:overflow:)``
/// with ``EffectOverflow/suspend``) it counts until its task has really ended, so that the limit is never exceeded.
/// Debounced or throttled work starts when its time has come: until then it does not count, and then it starts beside
/// the running work. A queue counts only work that has entered it: work with the same identity and another policy runs
/// beside it. Work that waits in a queue does not count for other policies; it starts when it has a place there, and
/// counts from then on. The actions that an effect sends, and the effects that they start, do not matter.
///
/// A group is not other work for its own parts with the same identity (see
/// ``Effect/cancellable(id:policy:fileID:line:)``): a part neither counts nor cancels it. For other effects, the group
/// counts once, with all of its parts.
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

    /// All effects run.
    public static let concurrent = EffectPolicy(kind: .concurrent)
    /// Running and pending effects are cancelled. The new effect starts immediately, without waiting for them to end.
    /// Actions of earlier effects that have not been reduced are dropped, even if these effects have ended. Later parts
    /// of the same composed effect that have not been reached are not cancelled, as with ``Effect/cancel(id:)``.
    public static let cancelInFlight = EffectPolicy(kind: .cancelInFlight)
    /// The new effect does not start.
    public static let ignoreIfRunning = EffectPolicy(kind: .ignoreIfRunning)
    /// Effects run one after another, in the order of their requests: `oldest(1, overflow: .suspend)`. A part of a
    /// group that has a place in the queue of the same identity needs no place of its own, and does not wait.
    public static let serial = EffectPolicy.oldest(1, overflow: .suspend)

    /// Runs up to `limit` effects: when there are more, the oldest is cancelled.
    ///
    /// - Parameter limit: The maximum number of running effects. It must be at least 1; otherwise this traps.
    /// - Returns: A policy.
    public static func newest(_ limit: Int) -> EffectPolicy {
        guard limit > 0 else {
            fatalError("EffectPolicy.newest(\(limit)) lets no effect run. Give a limit of at least 1.")
        }
        return EffectPolicy(kind: .newest(limit))
    }

    /// Runs up to `limit` effects: when that many are running, a new one waits until one of them has ended, or is
    /// dropped.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of running effects. It must be at least 1; otherwise this traps.
    ///   - overflow: Whether a new effect waits or is dropped.
    /// - Returns: A policy.
    public static func oldest(_ limit: Int, overflow: EffectOverflow) -> EffectPolicy {
        guard limit > 0 else {
            fatalError("EffectPolicy.oldest(\(limit), …) lets no effect run. Give a limit of at least 1.")
        }
        return EffectPolicy(kind: overflow == .suspend ? .queue(limit) : .oldest(limit))
    }

    /// Whether the end of one effect starts another.
    var isQueue: Bool { queueLimit != .max }

    /// The maximum number of running effects in a queue.
    var queueLimit: Int {
        if case .queue(let limit) = kind { limit } else { .max }
    }
}

/// What happens to a new effect when the limit of running effects is reached; see ``EffectPolicy/oldest(_:overflow:)``.
public enum EffectOverflow: Sendable, Equatable {
    /// The new effect starts when a running one has ended, in the order of the requests. Its task exists while it
    /// waits, in the context of the dispatching task, so it can be cancelled and awaited like any other.
    case suspend
    /// The new effect does not start.
    case drop
}

/// The rule for the start of an effect that is requested repeatedly: a debounce or a throttle.
@usableFromInline
struct EffectTiming: Sendable {
    enum Kind: Sendable {
        /// Starts after an interval without a request, at most this long after the first request.
        case debounce(maxWait: Duration?)
        /// Starts once in each interval: immediately, and at its end with the latest request if `latest` is true.
        case throttle(latest: Bool)
    }

    let kind: Kind
    let interval: Duration
    let clock: any Clock<Duration>

    init(kind: Kind, interval: Duration, clock: any Clock<Duration>) {
        // Bounded, so that no sum of times overflows.
        if case .debounce(let maxWait) = kind {
            self.kind = .debounce(maxWait: maxWait?.boundedWait)
        } else {
            self.kind = kind
        }
        self.interval = interval.boundedWait
        self.clock = clock
    }

    /// Returns a stopwatch that starts now.
    func stopwatch() -> Stopwatch { Stopwatch(clock) }
}

/// The intervals of a throttle, as a plain value.
struct ThrottleWindow {
    /// The time at which an effect may start.
    enum Beginning: Equatable {
        case now
        case after(Duration)
        case never
    }

    private let stopwatch: Stopwatch
    /// The time at which the last effect, and its interval, started.
    private var start: Duration = .zero
    /// The longest interval that was requested.
    private var longest: Duration

    /// Creates a window whose first interval starts now.
    init(_ timing: EffectTiming) {
        stopwatch = timing.stopwatch()
        longest = timing.interval
    }

    /// Returns when an effect that is requested now may start. If it may start now, the next interval starts now; if it
    /// may start later, the next interval starts with ``begin(before:)``.
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

    /// Records that a waiting effect started this long ago, which can be later than it was due.
    mutating func begin(before duration: Duration) { start = stopwatch.elapsed() - duration }

    /// Returns whether an interval of this length is over.
    func isOver(after interval: Duration) -> Bool { stopwatch.elapsed() >= start + interval }

    /// Whether all requested intervals are over, so that the window can be discarded if nothing waits.
    var isOver: Bool { isOver(after: longest) }
}
