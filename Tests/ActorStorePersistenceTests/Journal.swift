import ActorStore
import ActorStorePersistence
import ActorStoreSimulation

/// Numbers in the order of their actions. Each action adds one number, so that a state of revision *n* has *n* numbers.
struct Journal: Reducer {
    struct State: Codable, Sendable, Equatable {
        var numbers: [Int] = []
        /// The numbers whose work has to be done.
        var due: [Int: Int] = [:]
    }

    enum Action: Codable, Sendable, Equatable {
        case add(Int)
        /// Reports the number to the outside by an effect.
        case tell(Int)
        /// Adds the negative number by an effect.
        case echo(Int)
        /// Keeps the number due until its work is done.
        case owe(Int)
        case done(Int)
        /// Responds with the resulting number of numbers.
        case place(Place)
        /// Cannot be encoded.
        case secret(Ledger.Unencodable)
    }

    struct Place: Request, Codable, Equatable {
        static let casePath = CasePath(embed: Action.place) { if case .place(let place) = $0 { place } else { nil } }
        let number: Int

        func reduce(into state: inout State) -> Int {
            state.numbers.append(number)
            return state.numbers.count
        }
    }

    var outside = Outside()

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .add(let number): state.numbers.append(number)
        case .tell(let number):
            state.numbers.append(number)
            return .run { [outside] _ in outside.tell(number) }
        case .echo(let number):
            state.numbers.append(number)
            return .run { send in send(.add(-number)) }
        case .owe(let number):
            state.numbers.append(number)
            state.due[number] = number
        case .done(let number):
            state.numbers.append(-number)
            state.due[number] = nil
        case .place(let place): return .answer(place.reduce(into: &state))
        case .secret: state.numbers.append(0)
        }
        return .none
    }
}

/// The known outcomes of the actions of a ``Journal``, with which its history must agree: a plain value.
///
/// The number of an action is that of its sender times 1,000, plus a count of the sender.
struct JournalOutcomes: Sendable {
    /// What a sender knows about one action. Without an outcome, the action may be in the history or not.
    enum Outcome: Sendable {
        case acknowledged(Int)
        /// The action is in the history behind this many others.
        case placed(Int, at: Int)
        /// The action is not in the history.
        case refused(Int)
        case violation(String)
    }

    private(set) var acknowledged: Set<Int> = []
    private var refused: Set<Int> = []
    private var places: [Int: Int] = [:]
    private var violations: [String] = []

    /// Forgets the acknowledged actions that a log has lost.
    ///
    /// - Parameter numbers: What the log still has.
    mutating func forget(allBut numbers: [Int]) {
        acknowledged.formIntersection(numbers)
        places = places.filter { numbers.contains($0.key) }
    }

    mutating func note(_ outcomes: [Outcome]) {
        for outcome in outcomes {
            switch outcome {
            case .acknowledged(let number): acknowledged.insert(number)
            case .placed(let number, let place):
                acknowledged.insert(number)
                places[number] = place
            case .refused(let number): refused.insert(number)
            case .violation(let violation): violations.append(violation)
            }
        }
    }

    /// Returns how a history disagrees with the outcomes.
    func violations(of numbers: [Int]) -> [String] {
        var (violations, known, last) = (violations, Set<Int>(), [Int: Int]())
        for (index, number) in numbers.enumerated() {
            guard number > 0 else {
                if !known.contains(-number) { violations.append("\(number) precedes its cause") }
                continue
            }
            if !known.insert(number).inserted { violations.append("\(number) is there twice") }
            if refused.contains(number) { violations.append("\(number) was refused") }
            if let place = places[number], place != index { violations.append("\(number) is not at \(place)") }
            let sender = number / 1_000
            if let last = last[sender], last > number { violations.append("\(number) follows \(last)") }
            last[sender] = number
        }
        let lost = acknowledged.subtracting(known)
        if !lost.isEmpty { violations.append("\(lost.sorted()) were acknowledged and are lost") }
        return violations.isEmpty ? [] : violations + ["in \(numbers)"]
    }
}

/// The ways in which a test sends an action.
enum JournalSend: CaseIterable, Sendable {
    case dispatched, named, expecting, placed, echoed, told, owed, sent, cancelled, unencodable

    /// The codes with which an action is refused, and never reduced.
    private static let refusals: Set<ActionLogError.Code> = [.overloaded, .unencodable, .tooLarge, .unexpectedRevision]

    /// Returns what is known about an action after an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - number: The number of the action.
    ///   - mayEnd: Whether the store may end meanwhile.
    func outcomes(of error: any Error, _ number: Int, mayEnd: Bool) -> [JournalOutcomes.Outcome] {
        if let error = error as? ActionLogError, Self.refusals.contains(error.code) {
            // Of two equal actions, one may have been accepted.
            return self == .named || self == .unencodable ? [] : [.refused(number)]
        }
        if mayEnd || error is CancellationError && (self == .cancelled || Task.isCancelled) { return [] }
        return [.violation("\(number) was \(self), and throws \(error)")]
    }
}

/// A durable or replicated store of a ``Journal``.
protocol LoggedJournal: Sendable {
    /// Whether the store can lack the outcome of an action, because it continued from a snapshot behind the action.
    static var canMissOutcomes: Bool { get }

    var revision: UInt64 { get }

    @discardableResult
    func dispatch(
        _ action: Journal.Action,
        id: String?,
        expecting revision: UInt64?,
        isolation: isolated (any Actor)?
    ) async throws -> StoreTask

    func ask<R: Request>(_ request: R, isolation: isolated (any Actor)?) async throws -> R.Answer
    where R.StoreAction == Journal.Action

    func perform(_ action: Journal.Action, isolation: isolated (any Actor)?) async throws

    func send(_ action: Journal.Action) -> SendOutcome
}

extension DurableStore: LoggedJournal where State == Journal.State, Action == Journal.Action {
    static var canMissOutcomes: Bool { false }
}

extension ReplicatedStore: LoggedJournal where State == Journal.State, Action == Journal.Action {
    static var canMissOutcomes: Bool { true }
}

extension LoggedJournal {
    /// Sends an action, and returns what is known about it afterwards.
    ///
    /// - Parameters:
    ///   - kind: The way to send it.
    ///   - number: The number of the action.
    ///   - other: Another replica, to which a named action is also sent.
    ///   - mayEnd: Whether a store may end meanwhile.
    func send(
        _ kind: JournalSend,
        _ number: Int,
        and other: Self? = nil,
        mayEnd: Bool
    ) async -> [JournalOutcomes.Outcome] {
        do {
            switch kind {
            case .dispatched: try await dispatch(.add(number))
            case .named:
                async let first: Void = dispatch(.add(number), id: "\(number)")
                async let second: Void = dispatch(.add(number), id: "\(number)")
                _ = try await (first, second)
                try await other?.dispatch(.add(number), id: "\(number)")
            case .expecting:
                let revision = revision
                try await dispatch(.add(number), expecting: revision)
                return [.placed(number, at: Int(revision))]
            case .placed:
                let place = try await ask(Journal.Place(number: number), isolation: nil)
                return [.placed(number, at: place - 1)]
            case .echoed: try await perform(.echo(number), isolation: nil)
            case .told: try await dispatch(.tell(number))
            case .owed: try await dispatch(.owe(number))
            case .sent: return send(.add(number)).isAccepted ? [] : [.refused(number)]
            case .cancelled:
                let task = Task { try await dispatch(.add(number)) }
                task.cancel()
                try await task.value
            case .unencodable: try await dispatch(.secret(Ledger.Unencodable()))
            }
            return [.acknowledged(number)]
        } catch let error as ActionLogError where Self.canMissOutcomes && error.code == .unknownOutcome {
            return []
        } catch {
            return kind.outcomes(of: error, number, mayEnd: mayEnd)
        }
    }

    private func dispatch(_ action: Journal.Action, id: String? = nil, expecting revision: UInt64? = nil) async throws {
        try await dispatch(action, id: id, expecting: revision, isolation: nil)
    }
}

/// The actions of one task, in order.
struct JournalSender: Sendable {
    typealias Outcome = JournalOutcomes.Outcome

    let actions: [(number: Int, kind: JournalSend)]

    /// Draws the actions of a sender.
    init(_ sender: Int, _ kinds: [JournalSend], using random: inout SimulationGenerator) {
        actions = (1...random.number(below: 4) + 1).map { (sender * 1_000 + $0, random.element(of: kinds)) }
    }

    /// Sends all actions of several senders, and returns what they know afterwards.
    ///
    /// - Parameters:
    ///   - senders: The senders.
    ///   - send: Sends one action of the sender with this index.
    ///   - disturb: Runs meanwhile, and returns whether the senders are cancelled.
    static func send(
        _ senders: [JournalSender],
        by send: @escaping @Sendable (_ index: Int, _ kind: JournalSend, _ number: Int) async -> [Outcome],
        meanwhile disturb: () async -> Bool
    ) async -> [Outcome] {
        await withTaskGroup(of: [Outcome].self) { group in
            for (index, sender) in senders.enumerated() {
                group.addTask {
                    var outcomes: [Outcome] = []
                    for (number, kind) in sender.actions where !Task.isCancelled {
                        outcomes += await send(index, kind, number)
                    }
                    return outcomes
                }
            }
            if await disturb() { group.cancelAll() }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }
}
