/// What must become of the effects of panes.
struct PaneEffects {
    enum Fate {
        /// What it sends counts, as long as its pane is there, if it is not detached.
        case counts
        /// What it sends is dropped.
        case cancelled
        /// Code around the reducers has separated it from its pane, or has put it beside the effects of another one:
        /// what becomes of it is not promised, but that it does not act on another pane.
        case isOpen
    }

    enum Progress { case waits, runs, willEnd, hasEnded }

    struct Work {
        let effect: PaneEffect
        let owner: PaneTable.Owner
        /// Where it is found by its identity; another one for each that an address has had.
        let place: Int
        var fate = Fate.counts
        var progress = Progress.runs
        /// Whether the test holds it in its hands, or did.
        var hasBegun = false
        /// When it begins, if it waits for that.
        var due: Int?
        /// Whether the child has gone that it can dismiss; nil if it is not known whether the store has noticed.
        var isPresentationOver: Bool? = false

        var number: Int { effect.number }
        /// The identity of work; that of other shapes has none.
        var id: Int? { effect.shape == .work ? effect.id : nil }
        var hasEnded: Bool { progress == .hasEnded }
        /// Whether it goes on without its pane.
        var goesOn: Bool { effect.isDetached || owner.isOutlived }
    }

    private struct IntervalKey: Hashable { let place, id: Int }

    private var works: [Int: Work] = [:]
    private var places: [PaneTable.Address: Int] = [:]
    private var lastPlace = 0
    /// Addresses at which policies find effects of others, perhaps.
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

    /// The action by which a pane asks to be dismissed.
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

    /// A pane or a tip has gone, as the reducer has seen that it is composed with.
    mutating func depart(from address: PaneTable.Address) {
        func isBelow(_ other: PaneTable.Address) -> Bool { other == address || !address.isTip && other.pane == address }
        for number in works.keys {
            guard let work = works[number] else { continue }
            if let presentation = work.owner.presentation, isBelow(presentation) {
                works[number]?.isPresentationOver = true
            }
            // What is presented in a pane that effects outlive is not seen to go with it.
            let isSpared = address.slot == .memo && !address.isTip
            guard isBelow(work.owner.place), !work.goesOn, !isSpared else { continue }
            works[number]?.fate = .cancelled
            if work.progress == .waits { works[number]?.progress = .hasEnded }
        }
        if address.slot == .memo, !address.isTip { return }
        for other in Array(places.keys) where isBelow(other) { places[other] = nil }
        blurred = blurred.filter { !isBelow($0) }
    }

    /// Code around the reducers has taken children away, whether it has put others there or not.
    mutating func noteUnseenEnds(of gone: [PaneTable.Owner]) {
        for child in gone where !child.isOutlived { blurred.formUnion([child.place, child.address.tip]) }
        for (number, work) in works where gone.contains(where: { $0.isOrHolds(work.owner) }) {
            if work.fate == .counts, !work.goesOn { works[number]?.fate = .isOpen }
            if work.isPresentationOver == false { works[number]?.isPresentationOver = nil }
        }
    }

    mutating func willEnd(_ number: Int) { works[number]?.progress = .willEnd }

    /// Those that were cancelled, as far as is known, before their tasks came to their work.
    func cancelledBeforeBeginning(begun: Set<Int>) -> [Work] {
        inOrder {
            $0.progress == .runs && !$0.hasBegun && !begun.contains($0.number) && $0.fate != .counts
                && ($0.effect.shape == .workThenNote || $0.effect.shape == .workThenDismissal)
        }.compactMap { works[$0] }
    }

    /// The ends have had their turns: what waits in a queue behind them begins.
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

    // MARK: What counts

    /// Whether what an effect has sent counts; nil if that is open.
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

    /// Takes note of whether it has counted.
    mutating func settle(_ number: Int, counts: Bool, _ isDismissal: Bool) {
        guard works[number]?.fate == .isOpen else { return }
        if counts { works[number]?.fate = .counts } else if !isDismissal { works[number]?.fate = .cancelled }
    }

    /// - Parameters:
    ///   - begun: The effects that have begun and not ended.
    ///   - cancelled: Those whose tasks have been cancelled.
    /// - Returns: What differs.
    mutating func compare(with begun: Set<Int>, _ cancelled: Set<Int>) -> String? {
        for number in begun {
            works[number]?.hasBegun = true
            if let fate = works[number]?.fate, fate != .isOpen, (fate == .cancelled) != cancelled.contains(number) {
                return "Effect \(number) was cancelled, or was not: \(fate)"
            }
            guard let work = works[number] else { return "Effect \(number) has begun, which nobody has asked for." }
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
