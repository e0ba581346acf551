import ActorStore

/// An effect as a value: the request to a reducer of the bureau, and the input of the model.
indirect enum Work: Sendable {
    case piece(WorkPiece)
    /// Sends an action, which may request more.
    case send(index: Int, next: WorkRequest?)
    case cancel(index: Int, WorkKey)
    case merge([Work])
    case concatenate([Work])
    /// Has at least two parts, or one that has terms itself, so that it is a group and not an operation.
    case group(index: Int, WorkTerms, Work)
    /// A concatenation that begins after a wait.
    case delayed(index: Int, milliseconds: Int, [Work])
    /// Limits the time of each operation in it, and of each wait.
    case limited(tenths: Int, isHandled: Bool, Work)
    case cancelledOnShutdown(index: Int, Work)
}

/// An identity, in separate types whose values have the same hash.
enum WorkKey: Int, Sendable, CaseIterable {
    case integer, byte, clash

    private struct Clash: Hashable, Sendable {
        func hash(into hasher: inout Hasher) { hasher.combine(0) }
    }

    /// - Parameter index: Selects its notation, where there are several.
    func identity(_ index: Int) -> any Hashable & Sendable {
        switch self {
        case .integer: index.isMultiple(of: 2) ? 0 : Optional(0)
        case .byte: 0 as UInt8
        case .clash: Clash()
        }
    }
}

/// The identity and the time of a beginning.
struct WorkTerms: Sendable {
    enum Timing: Sendable {
        case debounce(milliseconds: Int, maxWait: Int?)
        case throttle(milliseconds: Int, latest: Bool)
    }

    var key: WorkKey
    /// With a debounce `concurrent` or `cancelInFlight`, with a throttle `concurrent`.
    var policy = EffectPolicy.concurrent
    var timing: Timing?
}

/// One operation. Its index identifies it within its request.
struct WorkPiece: Sendable {
    enum Body: Sendable {
        /// Sends an action after each of some pauses; a number of attempts fail afterwards.
        case script([Beat], failures: Int, isCaught: Bool)
        case timer(milliseconds: Int)
    }

    struct Beat: Sendable {
        var pause: Int
        /// Whether it waits until the action has been reduced.
        var isAwaited = false
        var next: WorkRequest?
    }

    enum Wrapper: Sendable {
        case delay(milliseconds: Int)
        /// In tenths of milliseconds, so that nothing else happens to the operation at that time.
        case limit(tenths: Int, isHandled: Bool)
        case retry(attempts: Int, pause: Int)
    }

    var index: Int
    var terms: WorkTerms?
    var body: Body
    /// From the inside outwards.
    var wrappers: [Wrapper] = []

    var isTimer: Bool { if case .timer = body { true } else { false } }
}

/// Operations requested together, with the part of the state whose reducer requests them.
struct WorkRequest: Sendable {
    var work: Work
    var isDetached = false
}

/// An action sent by an operation.
struct WorkNote: Hashable, Sendable {
    /// The number of the sending operation or step.
    let sender: Int
    var attempt = 1
    let beat: Int

    static func timedOut(_ sender: Int) -> WorkNote { WorkNote(sender: sender, beat: -1) }
    static func caught(_ sender: Int) -> WorkNote { WorkNote(sender: sender, beat: -2) }
    static func late(_ sender: Int) -> WorkNote { WorkNote(sender: sender, beat: -3) }
}
