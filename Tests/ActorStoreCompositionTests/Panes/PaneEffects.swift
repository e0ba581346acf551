/// The expected outcomes of panes' effects.
struct PaneEffects {
    enum Fate {
        /// Its actions are accepted while its pane is present, if it is not detached.
        case counts
        /// Its actions are dropped.
        case cancelled
        /// Code around the reducers has separated it from its pane, or has put it beside the effects of another one:
        /// its outcome is unspecified, except that it does not act on another pane.
        case isOpen
    }

    enum Progress { case waits, runs, willEnd, hasEnded }

    struct Work {
        let effect: PaneEffect
        let owner: PaneTable.Owner
        /// The place where it is found by identity; a new one for each pane of an address.
        let place: Int
        var fate = Fate.counts
        var progress = Progress.runs
        /// Whether the test controls it, or did.
        var hasBegun = false
        /// Its beginning, if it waits for that.
        var due: Int?
        /// Whether the child that it can dismiss has gone; nil if it is unknown whether the store has detected that.
        var isPresentationOver: Bool? = false

        var number: Int { effect.number }
        /// The identity of the operation; other shapes have none.
        var id: Int? { effect.shape == .work ? effect.id : nil }
        var hasEnded: Bool { progress == .hasEnded }
        /// Whether it continues without its pane.
        var goesOn: Bool { effect.isDetached || owner.isOutlived }
    }

    private struct IntervalKey: Hashable { let place, id: Int }

    private var works: [Int: Work] = [:]
    private var places: [PaneTable.Address: Int] = [:]
    private var lastPlace = 0
    /// Addresses at which policies may find effects of others.
    private var blurred: Set<PaneTable.Address> = []
    private var intervals: [IntervalKey: Int] = [:]
    private var now = 0
    private var lastDismissal = 0

    subscript(number: Int) -> Work? { works[number] }

    private mutating func place(at address: PaneTable.Address) -> Int {
        if let place = places[address] { return place }
        lastPlace += 1
        places[address] = lastPlace
        return lastPlace
    }

    private func inOrder(_ condition: (Work) -> Bool) -> [Int] { works.values.filter(condition).map(\.number).sorted() }

    // MARK: Beginning

    mutating func begin(_ effect: PaneEffect, of owner: PaneTable.Owner) {
        let place = place(at: owner.place)
        var work = Work(effect: effect, owner: owner, place: place)
        if effect.shape == .note { work.progress = .hasEnded }
        if let id = work.id { applyPolicy(id, to: &work) }
        works[effect.number] = work
    }

    private mutating func applyPolicy(_ id: Int, to work: inout Work) {
        let rivals = inOrder { $0.place == work.place && $0.id == id }
        let isBlurred = blurred.contains(work.owner.place)
        switch id {
        case 1:
            for rival in rivals { cancel(rival, isKnown: !isBlurred) }
        case 2:
            let running = rivals.compactMap { works[$0] }.filter { !$0.hasEnded && $0.fate != .cancelled }
            if running.contains(where: { $0.fate == .counts }), !isBlurred {
                work.progress = .hasEnded
            } else if isBlurred || !running.isEmpty {
                work.fate = .isOpen
            }
        case PaneEffect.serial:
            let others = rivals.compactMap { works[$0] }.filter { !$0.hasEnded }
            if isBlurred || others.contains(where: { $0.fate == .isOpen }) {
                work.fate = .isOpen
            } else if !others.isEmpty {
                work.progress = .waits
            }
        case PaneEffect.debounce:
            for rival in rivals where works[rival]?.progress == .waits { cancel(rival, isKnown: !isBlurred) }
            work.progress = .waits
            work.due = now + PaneEffect.debounceInterval
        case PaneEffect.throttle:
            let key = IntervalKey(place: work.place, id: id)
            if isBlurred {
                work.fate = .isOpen
            } else if let end = intervals[key], now < end {
                work.progress = .hasEnded
            } else {
                intervals[key] = now + PaneEffect.throttleInterval
            }
        default: break
        }
    }

    /// The action by which a pane requests its dismissal.
    mutating func beginDismissal(of owner: PaneTable.Owner) -> Int {
        lastDismissal -= 1
        let effect = PaneEffect(number: lastDismissal, shape: .note, id: nil, isDetached: false)
        begin(effect, of: owner)
        return lastDismissal
    }

    // MARK: Ending

    mutating func cancel(id: Int, at address: PaneTable.Address, in table: PaneTable) {
        guard let place = places[address] else { return }
        let isBlurred = blurred.contains(address)
        for number in inOrder({ $0.place == place && $0.id == id }) {
            cancel(number, isKnown: !isBlurred)
        }
    }

    /// - Parameter isKnown: Whether the place is known to be that of its pane alone.
    private mutating func cancel(_ number: Int, isKnown: Bool) {
        guard let work = works[number], work.fate != .cancelled else { return }
        works[number]?.fate = isKnown && work.fate == .counts ? .cancelled : .isOpen
        if work.progress == .waits, isKnown { works[number]?.progress = .hasEnded }
    }

    /// The composing reducer has seen that a pane or a tip has gone.
    mutating func depart(from address: PaneTable.Address) {
        func isBelow(_ other: PaneTable.Address) -> Bool { other == address || !address.isTip && other.pane == address }
        for number in works.keys {
            guard let work = works[number] else { continue }
            if let presentation = work.owner.presentation, isBelow(presentation) {
                works[number]?.isPresentationOver = true
            }
            // The departure of a child presented in a pane that effects outlive is not detected with the pane.
            let isSpared = address.slot == .memo && !address.isTip
            guard isBelow(work.owner.place), !work.goesOn, !isSpared else { continue }
            works[number]?.fate = .cancelled
            if work.progress == .waits { works[number]?.progress = .hasEnded }
        }
        if address.slot == .memo, !address.isTip { return }
        for other in Array(places.keys) where isBelow(other) { places[other] = nil }
        blurred = blurred.filter { !isBelow($0) }
    }

    /// Code around the reducers has removed children, with or without replacement.
    mutating func noteUnseenEnds(of gone: [PaneTable.Owner]) {
        for child in gone where !child.isOutlived { blurred.formUnion([child.place, child.address.tip]) }
        for (number, work) in works where gone.contains(where: { $0.isOrHolds(work.owner) }) {
            if work.fate == .counts, !work.goesOn { works[number]?.fate = .isOpen }
            if work.isPresentationOver == false { works[number]?.isPresentationOver = nil }
        }
    }

    mutating func willEnd(_ number: Int) { works[number]?.progress = .willEnd }

    /// The effects known to be cancelled before their tasks reached their operations.
    func cancelledBeforeBeginning(begun: Set<Int>) -> [Work] {
        inOrder {
            $0.progress == .runs && !$0.hasBegun && !begun.contains($0.number) && $0.fate != .counts
                && ($0.effect.shape == .workThenNote || $0.effect.shape == .workThenDismissal)
        }.compactMap { works[$0] }
    }

    /// The ends have been processed: operations behind them in a queue begin.
    mutating func finishEndings() {
        for number in inOrder({ $0.progress == .willEnd }) {
            works[number]?.progress = .hasEnded
            guard let work = works[number], work.id == PaneEffect.serial else { continue }
            for next in inOrder({ $0.place == work.place && $0.id == PaneEffect.serial && !$0.hasEnded }) {
                guard works[next]?.progress == .waits else { break }
                if works[next]?.fate == .isOpen { break }
                works[next]?.progress = .runs
                break
            }
        }
    }

    mutating func elapse(_ milliseconds: Int) {
        now += milliseconds
        for (number, work) in works {
            if let due = work.due, due <= now, work.progress == .waits { works[number]?.progress = .runs }
        }
    }

    // MARK: Acceptance

    /// Whether an action of an effect is accepted; nil if that is open.
    func counts(_ number: Int, isDismissal: Bool, in table: PaneTable) -> Bool? {
        guard let work = works[number] else { return false }
        if work.fate == .cancelled { return false }
        if !work.goesOn, !table.contains(work.owner) { return false }
        if isDismissal {
            if work.isPresentationOver == true { return false }
            if !table.contains(work.owner) { return false }
            if work.isPresentationOver == nil { return nil }
        }
        return work.fate == .isOpen ? nil : true
    }

    /// Records whether it was accepted.
    mutating func settle(_ number: Int, counts: Bool, _ isDismissal: Bool) {
        guard works[number]?.fate == .isOpen else { return }
        if counts { works[number]?.fate = .counts } else if !isDismissal { works[number]?.fate = .cancelled }
    }

    /// - Parameters:
    ///   - begun: The running effects.
    ///   - cancelled: The effects with cancelled tasks.
    /// - Returns: The difference.
    mutating func compare(with begun: Set<Int>, _ cancelled: Set<Int>) -> String? {
        for number in begun {
            works[number]?.hasBegun = true
            if let fate = works[number]?.fate, fate != .isOpen, (fate == .cancelled) != cancelled.contains(number) {
                return "Effect \(number) was cancelled, or was not: \(fate)"
            }
            guard let work = works[number] else { return "Effect \(number) has begun without a request." }
            if work.fate == .counts, work.progress != .runs { return "Effect \(number) has begun: \(work)" }
            if work.fate == .isOpen { works[number]?.progress = .runs }
        }
        for (number, work) in works where !begun.contains(number) {
            if work.fate == .counts, work.progress == .runs { return "Effect \(number) does not run: \(work)" }
            if work.fate == .cancelled, work.progress == .runs { works[number]?.progress = .hasEnded }
        }
        return nil
    }
}
