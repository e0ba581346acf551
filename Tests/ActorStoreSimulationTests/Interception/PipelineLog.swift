import ActorStore

@testable import TestFixtures

extension Pipeline {
    /// The events in their order.
    enum Event: Sendable, Equatable {
        // Events within a turn.

        /// An action has reached an interceptor, which sees a state with a number of entries, and a revision.
        case came(String, id: String, entries: Int, revision: UInt64)
        /// A call of `next` has ended.
        case went(String, id: String, StoreError?, entries: Int, revision: UInt64)
        /// An interceptor sends an action.
        case sends(String, id: String)
        case reduced(Place, id: String)
        case installed(Guest)

        // Outside of turns.

        /// An asynchronous interceptor is called, and has decided.
        case asked(Guest, number: Int, id: String)
        case decided(Guest, number: Int, Gate.Decision, isCancelled: Bool)
        /// An action is about to be given to a store, and its outcome.
        case offered(Int)
        case settled(Int, Outcome)
        /// An interceptor is about to be added or removed, or that call has returned.
        case using(Guest), used(Guest), removing(Guest), removed(Guest)
        /// A shutdown of a store is about to begin, and that of the root when all senders are done.
        case ending(Place), finishing
        /// The operation of a side effect begins.
        case ran(Int)
        /// The operation of an effect begins.
        case worked(String)

        var isInTurn: Bool {
            switch self {
            case .came, .went, .sends, .reduced, .installed: true
            default: false
            }
        }
    }

    /// The outcome that the sender of an action received.
    enum Outcome: Sendable, Equatable {
        case returned
        case answered(String)
        case threw(StoreError)
        case sent(SendOutcome)

        /// Whether the store has reduced it, or has accepted it.
        var isAccepted: Bool {
            switch self {
            case .returned, .answered, .threw(.unanswered): true
            case .threw: false
            case .sent(let outcome): outcome.isAccepted
            }
        }
    }

    /// An interceptor of either kind that comes and goes.
    struct Guest: Sendable, Hashable {
        let number: Int
        let place: Place
        var isOutermost = false
        var isAsynchronous = false

        var name: String { "guest \(number)" }
    }

    /// The events of the instrument.
    enum Record: Sendable, Equatable {
        case accepted(UInt64, number: Int?, id: String, Place)
        case reduced(UInt64, revision: UInt64)
        case stopped(UInt64, StoreError)
        case lost(DroppedAction.Reason, count: Int)
        case began(UInt64), ended(UInt64)

        /// Whether it is about the turn of an action.
        var isOfTurn: Bool {
            switch self {
            case .accepted, .reduced, .stopped: true
            case .lost, .began, .ended: false
            }
        }
    }

    /// The ways to give an action to a store.
    enum Manner: Sendable, Equatable {
        case sent, fed, batched, dispatched, cancelled, timed
    }

    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    /// Throws unless something holds.
    static func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws(Complaint) {
        if !condition { throw Complaint(description: complaint()) }
    }
}

/// Records its events.
struct PipelineInstrument: StoreInstrument {
    let records = Collector<Pipeline.Record>()

    func record(_ event: InstrumentEvent) {
        switch event {
        case .actionAccepted(let event): record(event)
        case .actionReduced(let event): records.append(.reduced(event.number, revision: event.revision))
        case .actionDropped(let event): record(event)
        case .observersNotified: break
        case .effectBegan(let event): records.append(.began(event.number))
        case .effectEnded(let event), .effectCancelled(let event), .effectFailed(let event, _):
            records.append(.ended(event.effect.number))
        }
    }

    private func record(_ event: AcceptedAction) {
        let action = event.action as? Pipeline.Action
        let place: Pipeline.Place = event.store == "branch" ? .branch : event.store == "leaf" ? .leaf : .root
        let id = action?.id ?? String(reflecting: event.action)
        records.append(.accepted(event.number, number: action?.number, id: id, place))
    }

    private func record(_ event: DroppedAction) {
        if let number = event.number, case .rejected(let error) = event.reason {
            records.append(.stopped(number, error))
        } else {
            records.append(.lost(event.reason, count: event.count))
        }
    }
}

/// All actions given to a store, with their numbers and senders.
final class PipelineOffers: Sendable {
    struct Offer: Sendable {
        let action: Pipeline.Action
        let manner: Pipeline.Manner
        /// The sequential sender; nil for concurrent ones.
        let sender: Int?
        /// Whether its task was cancelled before.
        let wasCancelled = Task.isCancelled
    }

    private let events: Collector<Pipeline.Event>
    private let offers = LockedValue<[Offer]>([])

    init(_ events: Collector<Pipeline.Event>) { self.events = events }

    var all: [Offer] { offers.withLock { $0 } }

    /// Numbers each action right before it is given to a store.
    func add(_ action: Pipeline.Action, _ manner: Pipeline.Manner, by sender: Int? = nil) -> Pipeline.Action {
        let action = offers.withLock { offers in
            var numbered = action
            numbered.number = offers.count
            offers.append(Offer(action: numbered, manner: manner, sender: sender))
            return numbered
        }
        events.append(.offered(action.number))
        return action
    }
}
