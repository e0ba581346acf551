import ActorStore
import ActorStoreComposition
import Foundation
import Testing

@testable import TestFixtures

@Suite("Stacks of children", .timeLimit(.minutes(10)))
struct StackTests {
    @Test("A child of the stack reduces its actions before its parent, and is found by the identity it was pushed with")
    func elements() async throws {
        let store = Store(initialState: Navigation.State(), reducer: Navigation())
        try await store.dispatch(.path(.push(Page.State(title: "a"))))
        try await store.dispatch(.path(.push(Page.State(title: "b"))))
        let ids = store.snapshot.path.ids
        try await store.dispatch(.path(.element(id: ids[0], action: .add(3))))
        #expect(store.snapshot.path.map(\.amount) == [3, 0])
        #expect(store.snapshot.log == ["1 after push", "2 after push", "a has 3"])
    }

    @Test("Popping removes a child and all above it after the parent's reducer, and cancels their effects only")
    func popping() async throws {
        let store = Store(initialState: Navigation.State(), reducer: Navigation())
        for title in ["a", "b", "c"] { store.send(.path(.push(Page.State(title: title)))) }
        let ids = await store.state.path.ids
        let effects = [HeldEffect(), HeldEffect(), HeldEffect()]
        for (id, held) in zip(ids, effects) {
            try await store.dispatch(.path(.element(id: id, action: .hold(held))))
            await held.waitUntilBegun()
        }
        try await store.dispatch(.path(.popFrom(id: ids[1])))
        #expect(store.snapshot.log.last == "3 before pop")
        for held in effects { await held.finish() }
        await store.shutdown(drain: .finishEffects)
        #expect(effects.map(\.wasCancelled.elements) == [[false], [true], [true]])
        #expect(store.snapshot.path.map(\.title) == ["a"] && store.snapshot.path[0].amount == 1_000)
        #expect(store.statistics.lateActions == 2)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("Any removal by the parent cancels the effects of removed children, begun or not, and no others")
    func removing() async throws {
        let ways: [@Sendable (inout StackState<Page.State>) -> Void] = [
            { $0.pop() },
            { stack in if let top = stack.topID { stack.remove(id: top) } },
            { stack in if let top = stack.topID { stack[id: top] = nil } },
            { $0.pop(to: $0.ids[0]) },
            { stack in
                let first = stack[0]
                stack = [first, first]
            },
            { $0.removeAll() },
        ]
        for (number, way) in ways.enumerated() {
            let state = Navigation.State(path: [Page.State(title: "a"), Page.State(title: "b")])
            let store = Store(initialState: state, reducer: Navigation())
            let ids = state.path.ids
            let (low, high) = (HeldEffect(), HeldEffect())
            try await store.dispatch(.path(.element(id: ids[0], action: .hold(low))))
            try await store.dispatch(.path(.element(id: ids[1], action: .hold(high))))
            await low.waitUntilBegun()
            await high.waitUntilBegun()
            try await store.dispatch(.change(way))
            await low.finish()
            await high.finish()
            await store.shutdown(drain: .finishEffects)
            // Replacing or emptying the stack removes both.
            #expect(low.wasCancelled.elements == [number >= 4], "way \(number)")
            #expect(high.wasCancelled.elements == [true], "way \(number)")
        }
    }

    @Test("A child dismisses itself together with those above", arguments: [Details.Way.effect, .send, .dependency])
    func dismissing(way: Details.Way) async throws {
        let state = Navigation.State(path: StackState(["a", "b", "c"].map { Page.State(title: $0) }))
        let store = Store(initialState: state, reducer: Navigation())
        try await store.dispatch(.path(.element(id: state.path.ids[1], action: .leave(way)))).finish()
        #expect(await store.state.path.map(\.title) == ["a"])
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("Identities are never reused, whatever is pushed and popped, also after decoding")
    func identities() throws {
        var stack = StackState<Int>()
        var all: [StackElementID] = []
        for round in 0..<5 {
            all += (0..<4).map { stack.push($0) }
            switch round {
            case 0: stack.pop()
            case 1: stack.removeAll()
            case 2: stack.pop(from: stack.ids[1])
            case 3: stack = try JSONDecoder().decode(StackState<Int>.self, from: JSONEncoder().encode(stack))
            default: stack.remove(id: stack.ids[0])
            }
        }
        #expect(Set(all).count == 20 && all == all.sorted())
        #expect(stack.ids == stack.ids.sorted() && stack.allSatisfy { (0..<4).contains($0) })
    }

    @Test("An action for a missing child, or its popping, is reported or ignored, and never crashes")
    func missing() async throws {
        let reporting = Store(initialState: Navigation.State(), reducer: Navigation())
        let ignoring = Store(initialState: Navigation.State(), reducer: Navigation(whenMissing: .ignore))
        let id = StackElementID(number: 7)
        for store in [reporting, ignoring] {
            store.send(.path(.popFrom(id: id)))
            store.send(.path(.element(id: id, action: .add(1))))
            await store.shutdown(drain: .finishEffects)
            #expect(store.snapshot.path.isEmpty && store.snapshot.log.count == 2)
        }
        let failures = try await reporting.errors.all().compactMap { $0.error as? MissingChild }
        #expect(failures.map(\.reason) == [.noElement(EffectID(id)), .noElement(EffectID(id))])
        #expect(try await ignoring.errors.all().isEmpty)
    }

    @Test("A child that the parent puts in the place of the popped one stays, also with the same identity")
    func replacedWhilePopping() async throws {
        struct Navigation: Equatable, Sendable {
            var path = StackState([1])
        }
        let store = Store(
            initialState: Navigation(),
            reducer: Reduce<Navigation, StackAction<Int, Int>> { state, action in
                if case .popFrom = action { state.path = StackState([99]) }
                return .none
            }.forEach(\.path, action: CasePath(embed: { $0 }, extract: { $0 })) { Reduce<Int, Int> { _, _ in .none } }
        )
        try await store.dispatch(.popFrom(id: store.snapshot.path.ids[0]))
        #expect(Array(store.snapshot.path) == [99])
    }

    @Test("Late actions of a popped child do not reach the one pushed in its place")
    func lateActions() async throws {
        let store = Store(initialState: Navigation.State(path: [Page.State(title: "a")]), reducer: Navigation())
        let id = store.snapshot.path.ids[0]
        let held = HeldEffect()
        try await store.dispatch(.path(.element(id: id, action: .hold(held))))
        await held.waitUntilBegun()
        try await store.dispatch(.path(.popFrom(id: id)))
        try await store.dispatch(.path(.push(Page.State(title: "b"))))
        await held.finish()
        // It can still be sent from outside, and finds no child.
        try await store.dispatch(.path(.element(id: id, action: .add(5))))
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.path.map(\.amount) == [0] && store.snapshot.path.ids != [id])
        #expect(try await store.errors.all().count == 1)
    }

    /// The ways in which an older copy of the stack comes back, and another child after it.
    enum Restoring: CaseIterable { case aloneBeforePushing, togetherWithPushing, emptyBeforePushing }

    @Test(
        "Restoring an older copy ends the effects of the children missing in it, and of no others",
        arguments: Restoring.allCases
    )
    func restoring(way: Restoring) async throws {
        let store = Store(initialState: Navigation.State(), reducer: Navigation())
        if way != .emptyBeforePushing { try await store.dispatch(.path(.push(Page.State(title: "home")))) }
        let saved = store.snapshot.path
        try await store.dispatch(.path(.push(Page.State(title: "secret"))))
        var effects: [HeldEffect] = []
        for id in store.snapshot.path.ids {
            let held = HeldEffect()
            try await store.dispatch(.path(.element(id: id, action: .hold(held))))
            await held.waitUntilBegun()
            effects.append(held)
        }
        if way == .togetherWithPushing {
            try await store.dispatch(
                .change { path in
                    path = saved
                    path.push(Page.State(title: "public"))
                }
            )
        } else {
            try await store.dispatch(.change { $0 = saved })
            try await store.dispatch(.path(.push(Page.State(title: "public"))))
        }
        for held in effects { await held.finish() }
        await store.shutdown(drain: .finishEffects)
        let isHomeThere = way != .emptyBeforePushing
        #expect(effects.map(\.wasCancelled.elements) == (isHomeThere ? [[false], [true]] : [[true]]))
        #expect(store.snapshot.path.map(\.title) == (isHomeThere ? ["home", "public"] : ["public"]))
        #expect(store.snapshot.path.map(\.amount) == (isHomeThere ? [1_000, 0] : [0]))
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("Children with one identity in two versions of a stack are distinguished")
    func versions() async throws {
        let store = Store(initialState: Navigation.State(path: [Page.State(title: "home")]), reducer: Navigation())
        let older = store.snapshot.path
        try await store.dispatch(.change { $0.push(Page.State(title: "secret")) })
        let newer = store.snapshot.path
        try await store.dispatch(.change { $0 = older })
        try await store.dispatch(.change { $0.push(Page.State(title: "public")) })
        #expect(store.snapshot.path.ids == newer.ids)
        let effects = [HeldEffect(), HeldEffect()]
        for (id, held) in zip(newer.ids, effects) {
            try await store.dispatch(.path(.element(id: id, action: .hold(held))))
            await held.waitUntilBegun()
        }
        try await store.dispatch(.change { $0 = newer })
        for held in effects { await held.finish() }
        await store.shutdown(drain: .finishEffects)
        #expect(effects.map(\.wasCancelled.elements) == [[false], [true]])
        #expect(store.snapshot.path.map(\.title) == ["home", "secret"])
        #expect(store.snapshot.path.map(\.amount) == [1_000, 0])
    }

    @Test("A detached operation of a departed child does not remove a child with its identity in another version")
    func lateDismissal() async throws {
        let state = Navigation.State(path: [Page.State(title: "home")])
        for isReplaced in [true, false] {
            let store = Store(initialState: state, reducer: Navigation())
            let older = store.snapshot.path
            try await store.dispatch(.change { $0.push(Page.State(title: "secret")) })
            let departure = Departure()
            let id = try #require(store.snapshot.path.topID)
            let leaving = try await store.dispatch(.path(.element(id: id, action: .leaveLater(departure))))
            if isReplaced {
                try await store.dispatch(.change { $0 = older })
                try await store.dispatch(.change { $0.push(Page.State(title: "public")) })
                #expect(store.snapshot.path.topID == id)
            }
            departure.begin.open()
            try await leaving.finish()
            #expect(await store.state.path.map(\.title) == (isReplaced ? ["home", "public"] : ["home"]))
            #expect(store.statistics.lateActions == (isReplaced ? 1 : 0))
        }
    }

    @Test("A stack set to itself, or with added children, keeps the effects of its children")
    func keeping() async throws {
        let state = Navigation.State(path: [Page.State(title: "a"), Page.State(title: "b")])
        let store = Store(initialState: state, reducer: Navigation())
        let ids = state.path.ids
        let held = HeldEffect()
        try await store.dispatch(.path(.element(id: ids[1], action: .hold(held))))
        await held.waitUntilBegun()
        let saved = store.snapshot.path
        try await store.dispatch(
            .change { path in
                path.push(Page.State(title: "c"))
                path = saved
                path.push(Page.State(title: "d"))
                path[id: ids[1]] = Page.State(title: "e")
                path[id: ids[0]]?.amount = 1
            }
        )
        try await store.dispatch(.change { $0.remove(id: ids[0]) })
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [false])
        #expect(store.snapshot.path.map(\.title) == ["e", "d"] && store.snapshot.path[0].amount == 1_000)
    }

    @Test("An action for a child removed by other code ends the effects of that child only")
    func goneUnnoticed() async throws {
        struct Outer: Reducer {
            var body: some Reducer<Navigation.State, Navigation.Action> {
                Navigation()
                Reduce { state, action in
                    if case .path(.popFrom) = action { state.path.pop() }
                }
            }
        }
        let state = Navigation.State(path: [Page.State(title: "a"), Page.State(title: "b")])
        let store = Store(initialState: state, reducer: Outer())
        let ids = state.path.ids
        let effects = [HeldEffect(), HeldEffect()]
        for (id, held) in zip(ids, effects) {
            try await store.dispatch(.path(.element(id: id, action: .hold(held))))
            await held.waitUntilBegun()
        }
        try await store.dispatch(.path(.popFrom(id: StackElementID(number: 9))))
        #expect(store.snapshot.path.map(\.title) == ["a"])
        try await store.dispatch(.path(.element(id: ids[1], action: .add(1))))
        for held in effects { await held.finish() }
        await store.shutdown(drain: .finishEffects)
        #expect(effects.map(\.wasCancelled.elements) == [[false], [true]])
        #expect(store.snapshot.path.map(\.amount) == [1_000])
        #expect(try await store.errors.all().count == 2)
    }

    @Test("Popping the children of a long stack one by one visits none of those below")
    func longStack() {
        let reducer = EmptyReducer<StackState<Int>, StackAction<Int, Int>>()
            .forEach(\.self, action: .identity) { EmptyReducer() }
            .prepared()
        var stack = StackState(0..<40_000)
        // Takes less than a second, and some minutes if each action visits all children.
        let deadline = ContinuousClock.now + .seconds(60)
        while let top = stack.topID, ContinuousClock.now < deadline {
            _ = reducer.reduce(into: &stack, action: .popFrom(id: top))
        }
        #expect(stack.isEmpty)
    }

    @Test("A stack is a collection from bottom to top, whose children are changed in place")
    func collection() {
        var stack: StackState<[Int]> = [[1], [2], [3]]
        let ids = stack.ids
        #expect(stack.count == 3 && stack.last == [3] && stack.topID == ids[2] && stack[id: ids[1]] == [2])
        stack[1].append(20)
        stack[id: ids[0]]?.append(10)
        stack[id: ids[2]]? = [30]
        stack[id: StackElementID(number: 9)] = [9]
        stack[id: StackElementID(number: 9)]?.append(9)
        #expect(Array(stack) == [[1, 10], [2, 20], [30]] && stack.ids == ids)
        let address = { (stack: inout StackState<[Int]>) in
            stack[id: ids[0]]?.withUnsafeMutableBytes { Int(bitPattern: $0.baseAddress) }
        }
        #expect(address(&stack) == address(&stack))
        stack[id: ids[0]] = nil
        #expect(
            Array(stack) == [[2, 20], [30]] && stack.position(of: ids[0]) == nil && stack.position(of: ids[2]) == 1
        )
        if case .some = stack[id: ids[1]] { modify(&stack[id: ids[1]]) { $0 = nil } }
        #expect(Array(stack) == [[30]] && !stack.pop(from: ids[1]) && !stack.pop(to: ids[1]) && stack.pop(to: ids[2]))
        #expect(stack.pop() == [30] && stack.pop() == nil && stack.topID == nil)
    }

    private func modify(_ value: inout [Int]?, _ body: (inout [Int]?) -> Void) { body(&value) }

    @Test("Stacks are equal if their children and identities are, and their encoding and description contain both")
    func values() throws {
        let (one, other): (StackState<String>, StackState<String>) = (["a", "b"], ["a", "b"])
        #expect(one == other && Set([one, other]).count == 1 && one != ["a"])
        var popped = other
        popped.pop()
        popped.push("b")
        #expect(popped != other && Array(popped) == Array(other))
        #expect(try JSONDecoder().decode(StackState<String>.self, from: JSONEncoder().encode(popped)) == popped)
        let disorder = #"{"entries":[{"id":{"number":1},"element":"a"}],"nextNumber":1}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StackState<String>.self, from: Data(disorder.utf8))
        }
        let endOfNumbers = #"{"entries":[],"nextNumber":18446744073709551615}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StackState<String>.self, from: Data(endOfNumbers.utf8))
        }
        #expect(ValueDescription(of: one).line.contains(#"#1: "b""#))
    }

    @Test("Children of several kinds are one enum, whose cases have their own reducers")
    func kinds() async throws {
        enum Screen: Sendable { case page(Page.State), meter(Meter.State) }
        enum ScreenAction: Sendable { case page(Page.Action), meter(Meter.Action) }
        struct Screens: Reducer {
            var body: some Reducer<Screen, ScreenAction> {
                EmptyReducer()
                    .ifCaseLet(CasePath(Screen.page), action: CasePath(ScreenAction.page)) { Page() }
                    .ifCaseLet(CasePath(Screen.meter), action: CasePath(ScreenAction.meter)) { Meter() }
            }
        }
        typealias Action = StackAction<Screen, ScreenAction>
        let store = Store(
            initialState: StackState<Screen>([.page(Page.State(title: "a")), .meter(Meter.State())]),
            reducer: EmptyReducer<StackState<Screen>, Action>().forEach(\.self, action: .identity) { Screens() }
        )
        let ids = store.snapshot.ids
        try await store.dispatch(.element(id: ids[1], action: .meter(.record(4))))
        try await store.dispatch(.element(id: ids[0], action: .page(.leave(.effect)))).finish()
        #expect(await store.state.isEmpty)
    }
}

/// A child in a stack.
struct Page: Reducer {
    struct State: Equatable, Sendable {
        let title: String
        var amount = 0
    }

    enum Action: Sendable {
        case add(Int)
        case hold(HeldEffect)
        case leave(Details.Way)
        case leaveLater(Departure)
    }

    @Dependency(\.dismiss) var dismiss

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .add(let amount):
            state.amount += amount
            return .none
        case .hold(let held):
            return held.effect().map { action in if case .record(let amount) = action { .add(amount) } else { .add(0) }
            }
        case .leaveLater(let departure):
            return .run { send in
                await departure.begin.wait()
                departure.outcomes.append(send.dismiss())
            }.detached()
        case .leave(.effect):
            return .dismiss()
        case .leave(.send):
            return .run { send in send.dismiss() }
        case .leave:
            return .run { _ in dismiss() }
        }
    }
}

/// The state with the stack.
struct Navigation: Reducer {
    struct State: Equatable, Sendable {
        var path = StackState<Page.State>()
        var log: [String] = []
    }

    enum Action: Sendable {
        case path(StackAction<Page.State, Page.Action>)
        case change(@Sendable (inout StackState<Page.State>) -> Void)
    }

    var whenMissing = MissingChildPolicy.report

    var body: some Reducer<State, Action> {
        Reduce { state, action in
            switch action {
            case .path(.push): state.log.append("\(state.path.count) after push")
            case .path(.popFrom): state.log.append("\(state.path.count) before pop")
            case .path(.element(let id, _)):
                let page = state.path[id: id]
                state.log.append("\(page?.title ?? "nobody") has \(page?.amount ?? -1)")
            case .change(let change): change(&state.path)
            }
        }
        .forEach(\.path, action: .path, whenMissing: whenMissing) { Page() }
    }
}

extension CasePath where Root == Navigation.Action, Value == StackAction<Page.State, Page.Action> {
    static let path = CasePath(embed: Root.path) { if case .path(let action) = $0 { action } else { nil } }
}
