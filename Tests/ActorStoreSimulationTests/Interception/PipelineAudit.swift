import ActorStore

/// Compares the recorded events with the model, after the end.
struct PipelineAudit {
    typealias Place = Pipeline.Place

    private let system: PipelineSystem
    private let guests: PipelineGuests
    private let offers: [PipelineOffers.Offer]
    private let events: [Pipeline.Event]
    private let records: [Pipeline.Record]
    private let timeline: PipelineTimeline
    private let model: PipelineModel
    private let gates: PipelineGates

    init(_ system: PipelineSystem, _ guests: PipelineGuests) {
        (self.system, self.guests) = (system, guests)
        offers = system.offers.all
        events = system.events.elements
        records = system.instrument.records.elements
        timeline = PipelineTimeline(events)
        model = PipelineModel(events.enumerated().filter(\.element.isInTurn).map(\.element), timeline)
        gates = PipelineGates(events, offers, timeline)
    }

    func check() throws {
        try gates.check()
        try checkTurns()
        try checkStores()
        try checkLosses()
        try checkInstruments()
    }

    /// Each turn follows the script of its action; each sender received the outcomes of its actions, which were
    /// processed in its order.
    private func checkTurns() throws {
        var numbers: [Int] = []
        var rest = records.filter(\.isOfTurn)[...]
        while let record = rest.popFirst() {
            guard case .accepted(let turn, let number, let id, let place) = record else {
                throw Pipeline.Complaint(description: "\(record) without a beginning.")
            }
            var refusal: StoreError?
            if let number {
                numbers.append(number)
                let action = gates.admitted(offers[number].action)
                try Pipeline.require(action.id == id && action.place == place, "\(id) at \(place) was \(action.id).")
                refusal = model.reduce(action)
                try check(number, wasRefused: refusal)
            } else {
                model.isolate(id)
            }
            if let problem = model.problem { throw Pipeline.Complaint(description: problem) }
            let expected = refusal.map { Pipeline.Record.stopped(turn, $0) } ?? .reduced(turn, revision: model.revision)
            let end = rest.popFirst()
            try Pipeline.require(end == expected, "The instrument: \(end as Any), and not \(expected).")
        }
        model.finish()
        if let problem = model.problem { throw Pipeline.Complaint(description: problem) }
        let turns = Set(numbers)
        try Pipeline.require(turns.count == numbers.count, "Doubled turns: \(numbers)")
        for offer in offers where !turns.contains(offer.action.number) { try checkMissing(offer) }
        for sender in Set(offers.compactMap(\.sender)) {
            let own = numbers.filter { offers[$0].sender == sender }
            try Pipeline.require(own == own.sorted(), "Sender \(sender)'s actions have changed their order: \(own)")
        }
    }

    /// The outcome that a sender received for a processed action.
    private func check(_ number: Int, wasRefused refusal: StoreError?) throws {
        let outcome = timeline.outcomes[number]
        if case .sent(let sent)? = outcome, sent.isAccepted { return }
        let expected: Pipeline.Outcome =
            if let refusal { .threw(refusal) } else if offers[number].action.isRequest {
                model.answers[number].map { .answered($0) } ?? .threw(.unanswered)
            } else { .returned }
        try Pipeline.require(outcome == expected, "\(number) had its turn; \(outcome as Any), and not \(expected).")
    }

    /// The outcome that a sender received for an unprocessed action.
    private func checkMissing(_ offer: PipelineOffers.Offer) throws {
        let number = offer.action.number
        let isBounded = system.setting.mailbox != nil
        let isLegal =
            switch timeline.outcomes[number] {
            case .sent(let outcome)? where outcome.isAccepted:
                system.setting.mailbox == .dropOldest || timeline.isEnding(after: number)
                    || system.setting.loading == .failing
            case .sent(.dropped)?: isBounded || offer.manner == .fed && timeline.isEnding(after: number)
            case .sent(.refused(let error))?, .threw(let error)?:
                switch error {
                case .overloaded: isBounded || offer.manner == .timed
                case .shutDown: timeline.isEnding(after: number)
                case .notReady: system.setting.loading == .failing
                case .cancelled:
                    offer.manner == .cancelled || offer.manner == .fed || gates.refusal(of: number) == .cancelled
                default: gates.refusal(of: number) == error
                }
            default: false
            }
        let outcome = timeline.outcomes[number]
        try Pipeline.require(isLegal, "\(number) (\(offer.manner)) was not reduced: \(outcome as Any)")
    }

    /// The states, their revision, the observers of actions, and the errors.
    private func checkStores() throws {
        let statistics = system.root.statistics
        try Pipeline.require(system.root.revision == model.revision, "The revision is \(system.root.revision).")
        let states: [Place: [String]] = [
            .root: system.root.snapshot, .branch: system.branch.snapshot.local, .leaf: system.leaf.snapshot.local,
        ]
        try Pipeline.require(states == model.states, "The states are \(states), and not \(model.states).")
        for place in Place.allCases {
            let published = system.published[place]?.elements ?? []
            let expected = model.published[place] ?? []
            try Pipeline.require(published == expected, "Observers of \(place): \(published), and not \(expected).")
        }
        for step in system.transitions.elements {
            let isNext = step.new == step.old + [step.action.id]
            try Pipeline.require(isNext, "A transition from \(step.old) to \(step.new) by \(step.action.id).")
        }
        let transitions = system.transitions.elements.map(\.action.id)
        try Pipeline.require(transitions == model.published[.root], "Transitions: \(transitions)")
        let failures = system.failures.elements.compactMap { failure -> String? in
            if case .interceptor(let name) = failure.origin { name } else { nil }
        }
        let expected = model.failures + gates.failures
        try Pipeline.require(failures.sorted() == expected.sorted(), "Errors of \(failures), and not of \(expected).")
        try Pipeline.require(
            statistics.waitingActions == 0 && statistics.suspendedDispatches == 0 && statistics.runningEffects == 0,
            "Something is left: \(statistics)"
        )
    }

    /// Each lost action is counted once, and reported to instruments once.
    private func checkLosses() throws {
        let statistics = system.root.statistics
        var told: [String: Int] = [:]
        for case .lost(let reason, let count) in records {
            switch reason {
            case .late: told["late", default: 0] += count
            case .overload: told["overload", default: 0] += count
            case .rejected: told["rejected", default: 0] += count
            }
        }
        let rejected = statistics.rejectedActions - model.rejections
        try Pipeline.require(
            told["late", default: 0] == statistics.lateActions && told["rejected", default: 0] == rejected,
            "Instruments received \(told); \(rejected) were rejected without a turn, others: \(statistics)"
        )
        var (lost, unsure, refused) = (0, 0, 0)
        for offer in offers where !model.hasReduced(offer.action.number) {
            switch timeline.outcomes[offer.action.number] {
            case .sent(.refused(.overloaded))?, .threw(.overloaded)?:
                lost += 1
                refused += 1
            case .sent(let outcome)? where outcome.isAccepted || outcome == .dropped: lost += 1
            case .sent(.refused(.shutDown))?, .threw(.cancelled)?:
                if offer.manner == .fed || gates.refusal(of: offer.action.number) == .cancelled { lost += 1 }
            case .threw(.rejected)?: lost += 1
            // Actions that waited for the first state are counted, and later ones are not.
            case .threw(.notReady)?, .threw(.shutDown)?: if system.setting.loading != nil { unsure += 1 }
            default: break
            }
        }
        let sum = told.values.reduce(0, +)
        try Pipeline.require(
            lost...lost + unsure ~= sum,
            "\(lost) to \(lost + unsure) actions were lost; instruments received \(told)."
        )
        let dropped = told["overload", default: 0] - statistics.droppedActions
        try Pipeline.require(0...refused ~= dropped, "\(dropped) of \(refused) refusals, \(told), \(statistics)")
        let waited = rejected - gates.rejections
        try Pipeline.require(waited == 0 || system.setting.loading != nil, "\(waited) rejections too many.")
    }

    /// Each beginning has an end, for each instrument; and the effects requested by scripts run.
    private func checkInstruments() throws {
        let worked = events.compactMap { if case .worked(let id) = $0 { id } else { nil } }
        try Pipeline.require(
            worked.sorted() == model.worked.sorted() || timeline.endsAny,
            "Effects of \(worked) have worked, and not of \(model.worked)."
        )
        let began = records.count { if case .began = $0 { true } else { false } }
        try Pipeline.require(began >= worked.count, "\(began) effects began, and \(worked.count) have worked.")
        for (instrument, isRemoved) in guests.watched.elements + [(system.instrument, false)] {
            var (open, running): (Set<UInt64>, Set<UInt64>) = ([], [])
            for record in instrument.records.elements {
                switch record {
                case .accepted(let number, _, _, _): open.insert(number)
                case .reduced(let number, _), .stopped(let number, _):
                    try Pipeline.require(open.remove(number) != nil, "Turn \(number) has ended without a beginning.")
                case .began(let number): running.insert(number)
                case .ended(let number):
                    let hasBegun = running.remove(number) != nil
                    try Pipeline.require(hasBegun, "Effect \(number) has ended without a beginning.")
                case .lost: break
                }
            }
            try Pipeline.require(open.isEmpty, "Turns have not ended: \(open)")
            try Pipeline.require(running.isEmpty || isRemoved, "Effects have not ended: \(running)")
        }
    }
}
