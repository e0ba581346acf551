import ActorStore

/// The results of asynchronous interceptors, actual and expected.
struct PipelineGates {
    typealias Guest = Pipeline.Guest

    private let offers: [PipelineOffers.Offer]
    private let timeline: PipelineTimeline
    /// The interceptors of each action.
    private var asked: [Int: [(guest: Guest, id: String)]] = [:]
    /// Their decisions, and whether the dispatch was cancelled then.
    private var decided: [Int: [(decision: Pipeline.Gate.Decision, isCancelled: Bool)]] = [:]
    private var refusals: [Int: StoreError] = [:]
    private(set) var rejections = 0
    private(set) var failures: [String] = []

    init(_ events: [Pipeline.Event], _ offers: [PipelineOffers.Offer], _ timeline: PipelineTimeline) {
        (self.offers, self.timeline) = (offers, timeline)
        for event in events {
            switch event {
            case .asked(let guest, let number, let id): asked[number, default: []].append((guest, id))
            case .decided(_, let number, let decision, let isCancelled):
                decided[number, default: []].append((decision, isCancelled))
            default: break
            }
        }
        for number in asked.keys { note(number) }
    }

    /// The reason of the last interceptor's refusal, unless its dispatch was cancelled.
    func refusal(of number: Int) -> StoreError? { refusals[number] }

    /// The action that is given to the store.
    func admitted(_ action: Pipeline.Action) -> Pipeline.Action {
        let asked = asked[action.number] ?? []
        return asked.reduce(action) { action, entry in
            action.script.gate(of: entry.guest).decision == .replace ? action.becoming("g") : action
        }
    }

    /// The decision of the last interceptor, if it has decided.
    private mutating func note(_ number: Int) {
        guard let asked = asked[number], let guest = asked.last?.guest, let decided = decided[number],
            decided.count == asked.count, let (decision, isCancelled) = decided.last
        else { return }
        // The outcome that the dispatching task received takes precedence, unless it is nil.
        if isCancelled, !offers[number].wasCancelled, decision != .swallow { return }
        switch decision {
        case .pass, .replace: return
        case .swallow, .fail: refusals[number] = .rejected(by: guest.name)
        case .refuse: refusals[number] = .rejected(by: "the script of \(guest.name)")
        case .cancel: refusals[number] = .cancelled
        }
        rejections += 1
        if decision == .fail { failures.append(guest.name) }
    }

    /// Each dispatch to the root passes the present interceptors, in their order, each with the previous one's result,
    /// until one refuses it; sends, and actions given to children, pass none.
    func check() throws {
        for offer in offers {
            let (number, place) = (offer.action.number, offer.action.place)
            let asked = asked[number] ?? []
            let isFromOutside = [.dispatched, .cancelled, .timed].contains(offer.manner) && place == .root
            try Pipeline.require(isFromOutside || asked.isEmpty, "\(number) (\(offer.manner)) was asked about.")
            guard isFromOutside else { continue }
            var action = offer.action
            for entry in asked {
                try Pipeline.require(
                    entry.id == action.id,
                    "\(entry.guest) was asked about \(entry.id), not \(action.id)."
                )
                if action.script.gate(of: entry.guest).decision == .replace { action = action.becoming("g") }
            }
            let guests = asked.map(\.guest)
            try Pipeline.require(guests == guests.sorted { $0.number < $1.number }, "\(number) asked \(guests).")
            for guest in guests where offer.manner != .timed {
                try Pipeline.require(!timeline.mustNotAsk(guest, for: number), "\(number) asked \(guest).")
            }
            let isDecided = guests.dropLast().allSatisfy { offer.action.script.passes($0) }
            try Pipeline.require(isDecided, "\(number) went on after it was refused: \(guests)")
            guard timeline.outcomes[number]?.isAccepted == true else { continue }
            let wasLate = decided[number]?.last?.isCancelled == true && !offer.wasCancelled
            try Pipeline.require(!wasLate, "\(number) was reduced although its dispatch was cancelled, or out of time.")
            if offer.manner == .timed { continue }
            for guest in timeline.guests
            where guest.isAsynchronous && timeline.mustAsk(guest, for: number) && !guests.contains(guest) {
                throw Pipeline.Complaint(description: "\(number) did not ask \(guest).")
            }
        }
    }
}

extension Pipeline.Script {
    fileprivate func passes(_ guest: Pipeline.Guest) -> Bool {
        let decision = gate(of: guest).decision
        return decision == .pass || decision == .replace
    }
}
