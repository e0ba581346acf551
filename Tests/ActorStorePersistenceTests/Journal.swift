import ActorStore
import ActorStoreSimulation
import Foundation
import TestFixtures

@testable import ActorStorePersistence

/// Numbers in the order of their actions. Each action adds one number, so that a state of revision *n* has *n* numbers.
struct Journal: Reducer {
    struct State: Codable, Sendable, Equatable {
        var numbers: [Int] = []
        /// The numbers whose work has to be done.
        var due: [Int: Int] = [:]
        /// The number of an action of which only the first half was reduced.
        var half: Int?
        /// The number whose watch may run.
        var watched: Int?
    }

    enum Action: Codable, Sendable, Equatable {
        case add(Int)
        /// Reports the number to the outside by an effect.
        case tell(Int)
        /// Adds the negative number by an effect.
        case echo(Int)
        /// Adds the negative number this many times, by an effect of each action.
        case chain(Int, left: Int)
        /// Is split into two halves, which add the number and the negative one.
        case halves(Int)
        case half(Int, isLast: Bool)
        /// Replaces the watch by that of the number, which runs until it is cancelled.
        case watch(Int)
        /// Cancels the watch.
        case unwatch(Int)
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

    /// Splits actions that have halves.
    static let splitting = Interceptor<State, Action>("split") { action, _, next in
        guard case .halves(let number) = action else { return try next(action) }
        try next(.half(number, isLast: false))
        // Time for the writer.
        if number.isMultiple(of: 2) { usleep(100) }
        try next(.half(number, isLast: true))
    }

    var outside = Outside()
    /// The numbers whose watches run.
    var watches = LockedValue<Set<Int>>([])

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .add(let number): state.numbers.append(number)
        case .halves(let number): state.numbers.append(number)
        case .half(let number, let isLast):
            state.numbers.append(isLast ? -number : number)
            state.half = isLast ? nil : number
        case .watch(let number):
            state.numbers.append(number)
            state.watched = number
            return .run(id: "watch", policy: .cancelInFlight) { [watches] _ in
                watches.withLock { _ = $0.insert(number) }
                try? await Task.sleep(for: .seconds(100_000))
                watches.withLock { _ = $0.remove(number) }
            }.cancelOnShutdown()
        case .unwatch(let number):
            state.numbers.append(number)
            state.watched = nil
            return .cancel(id: "watch")
        case .tell(let number):
            state.numbers.append(number)
            return .run { [outside] _ in outside.tell(number) }
        case .echo(let number):
            state.numbers.append(number)
            return .run { send in send(.add(-number)) }
        case .chain(let number, let left):
            state.numbers.append(number)
            if left > 0 { return .run { send in send(.chain(-abs(number), left: left - 1)) } }
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
    /// The outcome of one action for its sender. Without an outcome, the action may be in the history or not.
    enum Outcome: Sendable {
        case acknowledged(Int)
        /// The action is in the history behind this many others.
        case placed(Int, at: Int)
        /// The action is not in the history.
        case refused(Int)
        /// At most this many actions of its effects are in the history.
        case followed(Int, atMost: Int)
        case violation(String)
    }

    private(set) var acknowledged: Set<Int> = []
    private var refused: Set<Int> = []
    private var places: [Int: Int] = [:]
    private var followers: [Int: Int] = [:]
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
            case .followed(let number, let count): followers[number] = count
            case .violation(let violation): violations.append(violation)
            }
        }
    }

    /// Returns how a history disagrees with the outcomes.
    func violations(of numbers: [Int]) -> [String] {
        var (violations, known, last, left) = (violations, Set<Int>(), [Int: Int](), followers)
        for (index, number) in numbers.enumerated() {
            guard number > 0 else {
                if !known.contains(-number) { violations.append("\(number) precedes its cause") }
                left[-number]? -= 1
                if left[-number] == -1 { violations.append("\(number) was added after the end of its performance") }
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
    case dispatched, named, expecting, placed, echoed, chained, halved, told, owed, sent
    case watched, unwatched, cancelled, abandoned, unencodable

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
            return [.named, .halved, .unencodable].contains(self) ? [] : [.refused(number)]
        }
        // By the inner store.
        if error as? StoreError == .rejected(by: "log") { return [.refused(number)] }
        let isCancelled = [.cancelled, .unwatched].contains(self) || Task.isCancelled
        if mayEnd || error is CancellationError && isCancelled { return [] }
        return [.violation("\(number) was \(self), and throws \(error)")]
    }
}

/// A durable or replicated store of a ``Journal``.
protocol LoggedJournal: Sendable {
    /// Whether this is a replica. It can lack the outcome of an action, because it continued from a snapshot behind it.
    static var isReplica: Bool { get }

    /// Whether all actions that effects send are accepted, unless the store ends.
    var keepsFeedback: Bool { get }
    var store: Store<Journal.State, Journal.Action> { get }
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
    static var isReplica: Bool { false }
    var keepsFeedback: Bool { log.configuration.pendingLimit > 1_000 }
}

extension ReplicatedStore: LoggedJournal where State == Journal.State, Action == Journal.Action {
    static var isReplica: Bool { true }
    var keepsFeedback: Bool { replica.configuration.pendingLimit > 1_000 }
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
            case .chained:
                let length = number / 2 % 4
                try await perform(.chain(number, left: length), mayEnd: mayEnd)
                let count = followers(of: number)
                guard keepsFeedback, !mayEnd, count != length else { return [] }
                return [.violation("\(number) has \(count) of \(length) followers at the end of its performance")]
            case .halved: for _ in 1...2 { try await dispatch(.halves(number), id: "\(number)") }
            case .told: try await dispatch(.tell(number))
            case .owed: try await dispatch(.owe(number))
            case .watched: try await dispatch(.watch(number))
            case .unwatched where number.isMultiple(of: 2): try await perform(.unwatch(number), isolation: nil)
            case .unwatched:
                let task = Task { try await perform(.unwatch(number), isolation: nil) }
                await letOtherTasksRun(yields: number / 2 % 64)
                task.cancel()
                try await task.value
            case .sent: return send(.add(number)).isAccepted ? [] : [.refused(number)]
            case .cancelled:
                let task = Task { try await dispatch(.add(number)) }
                task.cancel()
                try await task.value
            case .abandoned:
                let task = Task { try await perform(.chain(number, left: 30), mayEnd: mayEnd) }
                await letOtherTasksRun(yields: number / 2 % 64)
                task.cancel()
                _ = try? await task.value
                // Nothing that it has started runs afterwards. A replica's actions can come back from the log later.
                return Self.isReplica ? [] : [.followed(number, atMost: followers(of: number))]
            case .unencodable: try await dispatch(.secret(Ledger.Unencodable()))
            }
            return [.acknowledged(number)]
        } catch let error as ActionLogError where Self.isReplica && error.code == .unknownOutcome {
            return []
        } catch {
            return kind.outcomes(of: error, number, mayEnd: mayEnd)
        }
    }

    /// Performs an action, every other one on the inner store. That of a replica waits for the log in any case.
    private func perform(_ action: Journal.Action, mayEnd: Bool) async throws {
        guard case .chain(let number, _) = action, number.isMultiple(of: 2), !(Self.isReplica && mayEnd) else {
            return try await perform(action, isolation: nil)
        }
        try await store.perform(action)
    }

    private func followers(of number: Int) -> Int { store.snapshot.numbers.count { $0 == -number } }

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
