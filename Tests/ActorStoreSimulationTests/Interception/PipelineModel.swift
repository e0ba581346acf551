import ActorStore

/// The expected outcomes of actions, one after the other: plain function calls, in place of stores.
///
/// It gets the actual events of the turns, and each action in the order of its turn, and reports differences from the
/// documentation. From the events it takes only whether an interceptor that is being removed is still there.
final class PipelineModel {
    typealias Action = Pipeline.Action
    typealias Place = Pipeline.Place

    private let events: [Pipeline.Event]
    private var cursor = 0
    /// The interceptors of each store, the outermost first: their names, and the removable ones.
    private var chains: [Place: [(name: String, guest: Pipeline.Guest?)]] = [
        .root: [("outer", nil), ("inner", nil)], .branch: [("middle", nil)], .leaf: [("first", nil)],
    ]
    private let timeline: PipelineTimeline
    private var reduced: Set<Int> = []

    private(set) var states: [Place: [String]] = [.root: [], .branch: [], .leaf: []]
    private(set) var revision: UInt64 = 0
    private(set) var rejections = 0
    /// The interceptors whose errors reach `errors`.
    private(set) var failures: [String] = []
    /// The actions that observers of each store get.
    private(set) var published: [Place: [String]] = [.root: [], .branch: [], .leaf: []]
    /// The actions whose effects run.
    private(set) var worked: [String] = []
    private(set) var answers: [Int: String] = [:]
    private(set) var problem: String?
    private var answer: [Place: String] = [:]

    /// - Parameters:
    ///   - events: The events of the turns.
    ///   - timeline: The additions and removals of interceptors.
    init(_ events: [Pipeline.Event], _ timeline: PipelineTimeline) {
        self.events = events
        self.timeline = timeline
    }

    /// Whether an action was processed.
    func hasReduced(_ number: Int) -> Bool { reduced.contains(number) }

    /// The turn of an action.
    ///
    /// - Returns: The reason why it was not reduced; nil if it was.
    func reduce(_ action: Action) -> StoreError? {
        install()
        reduced.insert(action.number)
        answer = [:]
        let refusal = propagate(action, at: action.place) {}
        let places = Place.allCases.reversed().filter { $0.rawValue <= action.place.rawValue }
        answers[action.number] = places.lazy.compactMap { self.answer[$0] }.first
        return refusal
    }

    /// The turn of a `withIsolation`.
    func isolate(_ id: String) {
        install()
        expect(.reduced(.root, id: id))
        states[.root, default: []].append(id)
        revision += 1
    }

    /// The remaining events after all turns.
    func finish() {
        install()
        if cursor < events.count { note("\(events[cursor]) was not requested.") }
    }

    /// An action that has reached a store: its interceptors, those of the stores above it, then the reducers from
    /// below. For those below it is one action, whatever interceptors make of it.
    private func propagate(_ action: Action, at place: Place, _ below: () -> Void) -> StoreError? {
        var hasReducedBelow = false
        return pass(action, at: place, to: 0) { passed in
            func reduce() {
                if !hasReducedBelow { below() }
                hasReducedBelow = true
                self.apply(passed, at: place)
            }
            guard let parent = place.parent else {
                reduce()
                self.revision += 1
                self.published[place, default: []].append(passed.id)
                return nil
            }
            var refusal: StoreError?
            if passed.script.last == place {
                reduce()
                self.revision += 1
            } else {
                refusal = self.propagate(passed.becoming(place == .leaf ? "l" : "b"), at: parent, reduce)
            }
            if refusal == nil { self.published[place, default: []].append(passed.id) }
            return refusal
        }
    }

    /// An action that has reached an interceptor. Each call of `next` is a separate action.
    private func pass(_ action: Action, at place: Place, to index: Int, _ end: (Action) -> StoreError?) -> StoreError? {
        guard let name = interceptor(index, at: place, action) else { return end(action) }
        let step = action.script.step(of: name)
        expect(.came(name, id: action.id, entries: entries(at: place), revision: revision))
        if step == .send { expect(.sends(name, id: action.id)) }
        var verdicts: [StoreError?] = []
        var thrown: (any Error)?
        do {
            try step.run(name, action) { passed in
                let refusal = pass(passed, at: place, to: index + 1, end)
                expect(.went(name, id: passed.id, refusal, entries: entries(at: place), revision: revision))
                verdicts.append(refusal)
                if let refusal { throw refusal }
            }
        } catch {
            thrown = error
        }
        return verdict(of: name, verdicts, thrown)
    }

    /// The result of the calls of `next`, and of the error thrown by the interceptor.
    private func verdict(of name: String, _ verdicts: [StoreError?], _ thrown: (any Error)?) -> StoreError? {
        let refusals = verdicts.compactMap { $0 }
        let isReduced = refusals.count < verdicts.count
        // An error thrown by `next` is not an error of the interceptor.
        let isOwn = (thrown as? StoreError).map { !refusals.contains($0) } ?? false
        if thrown is Pipeline.Defect || isReduced && isOwn { failures.append(name) }
        if isReduced { return nil }
        // A refusal by an inner one is counted there.
        if refusals.isEmpty { rejections += 1 }
        if thrown is Pipeline.Defect { return .rejected(by: name) }
        return thrown as? StoreError ?? refusals.first ?? .rejected(by: name)
    }

    private func apply(_ action: Action, at place: Place) {
        expect(.reduced(place, id: action.id))
        states[place, default: []].append(action.id)
        if let work = action.script.effects[place], work != .vain { worked.append("\(action.id) at \(place)") }
        if action.isRequest, action.script.answers.contains(place), answer[place] == nil {
            answer[place] = "\(action.id) at \(place)"
        }
    }

    /// The number of entries of a store: its own, and those of the stores above it.
    private func entries(at place: Place) -> Int {
        Place.allCases.filter { $0.rawValue <= place.rawValue }.reduce(0) { $0 + (states[$1]?.count ?? 0) }
    }

    // MARK: Events

    private func interceptor(_ index: Int, at place: Place, _ action: Action) -> String? {
        while let chain = chains[place], index < chain.count {
            guard let guest = chain[index].guest else { return chain[index].name }
            if case .came(guest.name, id: action.id, entries: _, revision: _)? = next {
                if timeline.isMissing(guest, for: action.number) { note("\(guest) is still there for \(action.id).") }
                return guest.name
            }
            if timeline.isPresent(guest, for: action.number) { return guest.name }
            // It was removed before this turn, and stays removed.
            chains[place]?.remove(at: index)
        }
        return nil
    }

    private func install() {
        while case .installed(let guest)? = next {
            cursor += 1
            let place = guest.isOutermost ? 0 : chains[guest.place]?.count ?? 0
            chains[guest.place]?.insert((guest.name, guest), at: place)
        }
    }

    private func expect(_ event: Pipeline.Event) {
        if next != event { note("Expected \(event), and not \(next as Any).") }
        cursor += 1
    }

    private var next: Pipeline.Event? { cursor < events.count ? events[cursor] : nil }

    private func note(_ complaint: String) { problem = problem ?? complaint }
}
