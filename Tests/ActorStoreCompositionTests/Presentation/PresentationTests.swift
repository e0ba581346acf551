import ActorStore
import ActorStoreComposition
import Foundation
import Testing

@testable import TestFixtures

@Suite("Presented children", .timeLimit(.minutes(10)))
struct PresentationTests {
    @Test("A presented child reduces its actions before its parent, which presents it by setting a state")
    func presenting() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        try await store.dispatch(.show(7))
        try await store.dispatch(.details(.presented(.add(3))))
        #expect(store.snapshot.details == Details.State(row: 7, amount: 3))
        #expect(store.snapshot.log == ["show", "details 3"])
    }

    @Test("Dismissing sets the state to nil after the parent's reducer, and cancels the effects of the child")
    func dismissing() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        let held = HeldEffect()
        store.send(.show(1))
        try await store.dispatch(.details(.presented(.hold(held))))
        await held.waitUntilBegun()
        try await store.dispatch(.details(.dismiss))
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.details == nil && store.snapshot.log.last == "dismissed with 0")
        #expect(held.wasCancelled.elements == [true] && store.statistics.lateActions == 1)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test(
        "A child dismisses itself by an effect, by an effect's action, and by the dependency, also when nested",
        arguments: [Details.Way.effect, .send, .dependency, .captured, .overridden]
    )
    func dismissItself(way: Details.Way) async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        let actions = store.actions
        store.send(.show(1))
        try await store.dispatch(.details(.presented(.leave(way)))).finish()
        #expect(await store.state.details == nil)
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.log == ["show", "details 0", "dismissed with 0"])
        #expect(try await actions.all().count == 3)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("A child can read in reducers and effects whether it is presented, and so can nested children")
    func isPresented() async throws {
        let presented = Store(initialState: Desk.State(), reducer: Desk())
        let alone = Store(initialState: Details.State(row: 1), reducer: Details())
        presented.send(.show(1))
        try await presented.dispatch(.details(.presented(.look))).finish()
        try await alone.dispatch(.look).finish()
        #expect(await presented.state.details?.looks == ["reducer true", "effect true true"])
        // The parent is not, also where it reduces the action of the child's effect.
        #expect(presented.snapshot.log.last == "the parent is presented: false")
        #expect(await alone.state.looks == ["reducer false", "effect false false"])
    }

    @Test(
        "The error mapping of a presented child's effect can read that it is presented, and dismiss it"
    )
    func errors() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        store.send(.show(1))
        try await store.dispatch(.details(.presented(.failAndLook))).finish()
        #expect(await store.state.details?.looks == ["catch true", "catch true"])
        try await store.dispatch(.details(.presented(.leave(.error)))).finish()
        #expect(await store.state.details == nil)
        let alone = Store(initialState: Details.State(row: 1), reducer: Details())
        try await alone.dispatch(.failAndLook).finish()
        #expect(await alone.state.looks == ["catch false", "catch false"])
    }

    @Test("A parent that maps an error of its presented child's effect is not presented")
    func errorsOfChildren() async throws {
        struct Parent: Reducer {
            struct State: Sendable {
                @Presented var details: Details.State? = Details.State(row: 1)
                var looks: [String] = []
            }
            enum Action: Sendable {
                case details(PresentationAction<Details.Action>)
                case saw(String)
            }
            @Dependency(\.isPresented) var isPresented
            var body: some Reducer<State, Action> {
                let reducer = Reduce<State, Action> { state, action in
                    if case .saw(let text) = action { state.looks.append(text) }
                }
                .ifPresented(\.$details, action: CasePath(Action.details)) { Details() }
                Reduce { state, action in
                    reducer.reduce(into: &state, action: action).catch { _ in .saw("catch \(isPresented)") }
                }
            }
        }
        let store = Store(initialState: Parent.State(), reducer: Parent())
        try await store.dispatch(.details(.presented(.fail))).finish()
        #expect(await store.state.looks == ["catch false"])
    }

    @Test("An effect of a presented child that dispatches to another store does not make that store presented")
    func otherStores() async throws {
        let other = Store(initialState: Details.State(row: 2), reducer: Details())
        let store = Store(initialState: Desk.State(), reducer: Desk())
        store.send(.show(1))
        try await store.dispatch(.details(.presented(.lookElsewhere(other)))).finish()
        #expect(await other.state.looks.last == "effect false false")
    }

    @Test("A child that dismisses itself without being presented gets a report, and nothing happens")
    func notPresented() async throws {
        let issues = Collector<String>()
        let store = Store(initialState: Details.State(row: 1), reducer: Details())
        try await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0.message) }) {
            for way in [Details.Way.effect, .send, .dependency] { try await store.dispatch(.leave(way)).finish() }
        }
        #expect(try await store.errors.first(1).first?.error is NotPresented)
        let replaced = Collector<String>()
        try await withDependencies {
            $0.dismiss = Dismissal {
                replaced.append("dismissed")
                return .accepted
            }
        } operation: {
            try await store.dispatch(.leave(.dependency)).finish()
        }
        #expect(replaced.elements == ["dismissed"])
        #expect(issues.elements.count == 1 && issues.elements[0].contains("outside an effect of a presented child"))
    }

    @Test("Presenting another child ends the first one's effects; changing it in place does not")
    func replacing() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        let (old, new) = (HeldEffect(), HeldEffect())
        store.send(.show(1))
        try await store.dispatch(.details(.presented(.hold(old))))
        await old.waitUntilBegun()
        try await store.dispatch(.change { $0.details?.amount += 5 })
        #expect(old.wasCancelled.elements.isEmpty)
        try await store.dispatch(.show(1))
        try await store.dispatch(.details(.presented(.hold(new))))
        await new.waitUntilBegun()
        await old.finish()
        await new.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(old.wasCancelled.elements == [true] && new.wasCancelled.elements == [false])
        #expect(store.snapshot.details == Details.State(row: 1, amount: 1_000))
    }

    @Test("A parent that presents another child during a dismissal keeps the new one")
    func presentingWhileDismissing() async throws {
        let store = Store(initialState: Desk.State(goesOn: true), reducer: Desk())
        store.send(.show(1))
        try await store.dispatch(.details(.dismiss))
        #expect(store.snapshot.details == Details.State(row: 2))
    }

    @Test("An action for an unpresented child, and a second dismissal, is reported or ignored")
    func missing() async throws {
        let reporting = Store(initialState: Desk.State(), reducer: Desk())
        let ignoring = Store(initialState: Desk.State(), reducer: Desk(whenMissing: .ignore))
        for store in [reporting, ignoring] {
            store.send(.details(.dismiss))
            store.send(.details(.presented(.add(1))))
            await store.shutdown(drain: .finishEffects)
            #expect(store.snapshot.details == nil && store.snapshot.log.count == 2)
        }
        let failures = try await reporting.errors.all().compactMap { $0.error as? MissingChild }
        #expect(failures.map(\.reason) == [.isNil, .isNil])
        #expect(try await ignoring.errors.all().isEmpty)
    }

    @Test("An alert is gone after one action, unless its parent presents another one in that action")
    func alerts() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        try await store.dispatch(.change { $0.alert = "Delete?" })
        try await store.dispatch(.alert(.presented(.confirm)))
        #expect(store.snapshot.alert == nil && store.snapshot.log == ["alert Delete?"])
        try await store.dispatch(.change { $0.alert = "Delete?" })
        try await store.dispatch(.alert(.presented(.askAgain)))
        #expect(store.snapshot.alert == "Really?")
        try await store.dispatch(.alert(.dismiss))
        #expect(store.snapshot.alert == nil)
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("The nearest presentation is dismissed")
    func nested() async throws {
        struct Room: Reducer {
            struct State: Sendable { @Presented var desk: Desk.State? }
            enum Action: Sendable { case desk(PresentationAction<Desk.Action>) }
            var body: some Reducer<State, Action> {
                EmptyReducer().ifPresented(\.$desk, action: CasePath(Action.desk)) { Desk() }
            }
        }
        let state = Room.State(desk: Desk.State(details: Details.State(row: 1)))
        for way in [Details.Way.effect, .send, .dependency] {
            let store = Store(initialState: state, reducer: Room())
            try await store.dispatch(.desk(.presented(.details(.presented(.leave(way)))))).finish()
            #expect(await store.state.desk != nil)
            #expect(store.snapshot.desk?.details == nil)
            try await store.dispatch(.desk(.presented(.close))).finish()
            #expect(await store.state.desk == nil)
        }
    }

    @Test("A child set anew with its identity is the same child, and with another identity a new one")
    func identities() async throws {
        struct Wall: Reducer {
            struct State: Sendable { @Presented var meter: NumberedMeter.State? = NumberedMeter.State(id: 1) }
            enum Action: Sendable {
                case meter(PresentationAction<Meter.Action>)
                case set(Int)
            }
            var body: some Reducer<State, Action> {
                Reduce { state, action in
                    if case .set(let id) = action { state.meter = NumberedMeter.State(id: id) }
                }
                .ifPresented(\.$meter, action: CasePath(Action.meter)) { NumberedMeter() }
            }
        }
        let store = Store(initialState: Wall.State(), reducer: Wall())
        let held = HeldEffect()
        try await store.dispatch(.meter(.presented(.start(held.effect()))))
        await held.waitUntilBegun()
        let task = try await store.dispatch(.set(1))
        try await task.finish()
        #expect(held.wasCancelled.elements.isEmpty)
        try await store.dispatch(.set(2))
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [true] && store.snapshot.meter?.reading == 0)
    }

    @Test("A child with an equal identity of another type is a new child")
    func typesOfIdentities() async throws {
        struct Row<ID: Hashable & Sendable>: Identifiable, Sendable { let id: ID }
        enum RowAction: Sendable { case start(HeldEffect), ended }
        struct Wall: Reducer {
            struct State: Sendable { @Presented var row: (any Identifiable & Sendable)? = Row(id: 1) }
            enum Action: Sendable {
                case row(PresentationAction<RowAction>)
                case set(any Identifiable & Sendable)
            }
            var body: some Reducer<State, Action> {
                Reduce { state, action in
                    if case .set(let row) = action { state.row = row }
                }
                .ifPresented(\.$row, action: CasePath(Action.row)) {
                    Reduce { _, action in
                        if case .start(let held) = action { held.effect().map { _ in .ended } } else { .none }
                    }
                }
            }
        }
        let store = Store(initialState: Wall.State(), reducer: Wall())
        let held = HeldEffect()
        try await store.dispatch(.row(.presented(.start(held))))
        await held.waitUntilBegun()
        try await store.dispatch(.set(Row(id: 1)))
        #expect(held.wasCancelled.elements.isEmpty)
        try await store.dispatch(.set(Row(id: 1 as UInt8)))
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [true])
    }

    @Test("Any change of a child's identity presents a new child, and ends the effects of the previous one")
    func changingIdentity() async throws {
        struct Child: Reducer {
            struct State: Identifiable, Sendable {
                var id = 1
                var reading = 0
            }
            enum Action: Sendable { case hold(HeldEffect), record(Int), become(Int) }

            func reduce(into state: inout State, action: Action) -> Effect<Action> {
                switch action {
                case .hold(let held):
                    return held.effect().map { action in
                        if case .record(let reading) = action { .record(reading) } else { .record(-1) }
                    }
                case .record(let reading): state.reading = reading
                case .become(let id): state.id = id
                }
                return .none
            }
        }
        struct Parent: Reducer {
            struct State: Sendable { @Presented var child: Child.State? = Child.State() }
            enum Action: Sendable {
                case child(PresentationAction<Child.Action>)
                case change(@Sendable (inout State) -> Void)
            }
            var body: some Reducer<State, Action> {
                Reduce { state, action in
                    if case .change(let change) = action { change(&state) }
                }
                .ifPresented(\.$child, action: CasePath(Action.child)) { Child() }
            }
        }
        let ways: [Parent.Action] = [
            .change { $0.child! = Child.State(id: 2) },
            .change { $0.child? = Child.State(id: 2) },
            .change { $0.child?.id = 2 },
            .change { state in
                var other: Child.State? = Child.State(id: 2)
                swap(&state.child, &other)
            },
            .change { state in modify(&state.child) { $0 = Child.State(id: 2) } },
            .change { $0.$child.wrappedValue?.id = 2 },
            .child(.presented(.become(2))),
            // The last one is a change of the same child.
            .change { $0.child! = Child.State(id: 1, reading: 5) },
        ]
        for (number, way) in ways.enumerated() {
            let store = Store(initialState: Parent.State(), reducer: Parent())
            let held = HeldEffect()
            try await store.dispatch(.child(.presented(.hold(held))))
            await held.waitUntilBegun()
            try await store.dispatch(way)
            await held.finish()
            await store.shutdown(drain: .finishEffects)
            let isSame = number == ways.count - 1
            #expect(held.wasCancelled.elements == [!isSame], "way \(number)")
            #expect(store.snapshot.child?.reading == (isSame ? 1_000 : 0), "way \(number)")
        }
    }

    @Test(
        "An operation that outlives its child dismisses no other child; its dismissal is dropped and counted",
        arguments: [Details.Way.effect, .send, .dependency],
        [true, false]
    )
    func lateDismissal(way: Details.Way, isDetached: Bool) async throws {
        let desk = Desk(effects: isDetached ? .endWithChild : .outliveChild)
        for next in [nil, 1, 2] {
            let store = Store(initialState: Desk.State(), reducer: desk)
            let departure = Departure()
            store.send(.show(1))
            let action = Details.Action.leaveLater(way, departure, isDetached: isDetached)
            let leaving = try await store.dispatch(.details(.presented(action)))
            if let next { store.send(.change { $0.details = next == 1 ? nil : Details.State(row: next) }) }
            departure.begin.open()
            try await leaving.finish()
            let row = await store.state.details?.row
            #expect(row == (next == 2 ? 2 : nil), "\(String(describing: next))")
            #expect(store.statistics.lateActions == (next == nil ? 0 : 1), "\(String(describing: next))")
            if way != .effect { #expect(departure.outcomes.elements.map(\.isAccepted) == [next == nil]) }
            await store.shutdown(drain: .finishEffects)
            #expect(try await store.errors.all().isEmpty)
        }
    }

    @Test("A dismissal that waits while another child is presented is dropped and counted", arguments: [true, false])
    func overtakenDismissal(isDetached: Bool) async throws {
        let desk = Desk(effects: isDetached ? .endWithChild : .outliveChild)
        let store = Store(initialState: Desk.State(), reducer: desk)
        let (departure, hold) = (Departure(), Hold())
        store.send(.show(1))
        let action = Details.Action.leaveLater(.send, departure, isDetached: isDetached)
        let leaving = try await store.dispatch(.details(.presented(action)))
        onThread { store.send(.change { _ in hold.enter() }) }
        await hold.waitUntilEntered()
        store.send(.show(2))
        departure.begin.open()
        await until { !departure.outcomes.elements.isEmpty }
        hold.release()
        try await leaving.finish()
        #expect(await store.state.details?.row == 2)
        #expect(departure.outcomes.elements == [.accepted] && store.statistics.lateActions == 1)
    }

    @Test(
        "An operation past its deadline no longer dismisses its child; its dismissal is dropped and counted",
        arguments: [Details.Way.send, .dependency]
    )
    func dismissalAfterDeadline(way: Details.Way) async throws {
        for isStale in [true, false] {
            let store = Store(initialState: Desk.State(), reducer: Desk())
            let (departure, clock) = (Departure(), ManualClock())
            store.send(.show(1))
            let leaving = try await store.dispatch(.details(.presented(.leaveWithDeadline(way, departure, clock))))
            if isStale {
                await clock.waitForSleepers()
                clock.advance(by: .seconds(5))
                await until { store.snapshot.details?.amount == 1 }
            }
            departure.begin.open()
            try await leaving.finish()
            #expect(await store.state.details?.row == (isStale ? 1 : nil))
            #expect(departure.outcomes.elements == [isStale ? .dropped : .accepted])
            #expect(store.statistics.lateActions == (isStale ? 1 : 0))
        }
    }

    @Test(
        "A child removed by other code is no longer dismissed after an action has found it missing",
        arguments: [true, false]
    )
    func takenAwayUnseen(isDetached: Bool) async throws {
        struct Desks: Reducer {
            let desk: Desk
            var body: some Reducer<Desk.State, Desk.Action> {
                desk
                Reduce { state, action in if case .alert(.dismiss) = action { state.details = nil } }
            }
        }
        let desk = Desk(whenMissing: .ignore, effects: isDetached ? .endWithChild : .outliveChild)
        let store = Store(initialState: Desk.State(), reducer: Desks(desk: desk))
        let departure = Departure()
        store.send(.show(1))
        let action = Details.Action.leaveLater(.send, departure, isDetached: isDetached)
        let leaving = try await store.dispatch(.details(.presented(action)))
        for action in [.alert(.dismiss), .details(.presented(.add(1))), .show(2)] as [Desk.Action] {
            store.send(action)
        }
        departure.begin.open()
        try await leaving.finish()
        #expect(await store.state.details?.row == 2)
        #expect(departure.outcomes.elements == [.dropped])
    }

    @Test("A child without an identity that is changed in place stays the same child, even if all of it changes")
    func changingWhole() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        let held = HeldEffect()
        store.send(.show(1))
        try await store.dispatch(.details(.presented(.hold(held))))
        await held.waitUntilBegun()
        try await store.dispatch(.change { $0.details! = Details.State(row: 2) })
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [false])
        #expect(store.snapshot.details == Details.State(row: 2, amount: 1_000))
    }

    @Test("A key path through `inPlace` changes the present child, and another key path presents a new one")
    func changedByKeyPath() async throws {
        for isInPlace in [true, false] {
            let store = Store(initialState: Desk.State(), reducer: Desk())
            let held = HeldEffect()
            store.send(.show(1))
            try await store.dispatch(.details(.presented(.hold(held))))
            await held.waitUntilBegun()
            let part = isInPlace ? \Desk.State.$details.inPlace : \Desk.State.details
            try await store.dispatch(.change { $0[keyPath: part]?.amount = 9 })
            await held.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(store.snapshot.details?.amount == (isInPlace ? 1_009 : 9))
            #expect(held.wasCancelled.elements == [!isInPlace])
        }
    }

    @Test("Setting a missing child in place presents it, and setting it to nil dismisses it with its effects")
    func setInPlace() async throws {
        let store = Store(initialState: Desk.State(), reducer: Desk())
        let held = HeldEffect()
        try await store.dispatch(.change { $0.$details.inPlace = Details.State(row: 7) })
        try await store.dispatch(.details(.presented(.hold(held))))
        await held.waitUntilBegun()
        try await store.dispatch(.change { $0.$details.inPlace = nil })
        try await store.dispatch(.change { $0.$details.inPlace = Details.State(row: 8) })
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.details == Details.State(row: 8))
        #expect(held.wasCancelled.elements == [true])
    }

    @Test("Equality, hash, encoding and description of a presentation are those of its child")
    func values() throws {
        struct State: Equatable, Hashable, Codable { @Presented var number: Int? }
        let (one, other) = (State(number: 1), State(number: 1))
        #expect(one == other && one != State(number: nil) && Set([one, other]).count == 1)
        let data = try JSONEncoder().encode(one)
        #expect(String(decoding: data, as: UTF8.self) == #"{"number":1}"#)
        #expect(try JSONDecoder().decode(State.self, from: data) == one)
        let nothing = try JSONEncoder().encode(State(number: nil))
        #expect(try JSONDecoder().decode(State.self, from: nothing) == State(number: nil))
        #expect(try JSONDecoder().decode(State.self, from: Data("{}".utf8)) == State(number: nil))
        #expect(ValueDescription(of: one).line == ValueDescription(of: State(number: 1)).line)
        #expect(ValueDescription(of: one).line.contains("1"))
        #expect(!ValueDescription(of: one).line.contains("presentation"))
    }

    /// Presents a child by a property with observers, which the language assigns at any change of a part of it.
    struct Watched: Reducer {
        struct State: Sendable {
            @Presented var old: Meter.State? { didSet { if oldValue != old { changes += 1 } } }
            @Presented var new: Meter.State? { didSet { changes += 1 } }
            @Presented var coming: Meter.State? { willSet { changes += 1 } }
            var changes = 0
        }
        enum Action: Sendable {
            case meter(PresentationAction<Meter.Action>)
            case change(@Sendable (inout State) -> Void)
        }

        let meter: WritableKeyPath<State, Presented<Meter.State>> & Sendable

        var body: some Reducer<State, Action> {
            Reduce<State, Action> { state, action in if case .change(let change) = action { change(&state) } }
                .ifPresented(meter, action: CasePath(Action.meter)) { Meter() }
        }

        static let children: [(WritableKeyPath<State, Presented<Meter.State>> & Sendable, Part)] = [
            (\.$old, \.old), (\.$new, \.new), (\.$coming, \.coming),
        ]
        typealias Part = WritableKeyPath<State, Meter.State?> & Sendable
    }

    @Test("A change of an observed property presents a child without an identity anew, but not one in place")
    func observedProperties() async throws {
        let assign: @Sendable (inout Watched.State) -> Void = { state in
            state.old?.reading = 9
            state.new?.reading = 9
            state.coming?.reading = 9
        }
        let changeInPlace: @Sendable (inout Watched.State) -> Void = { state in
            state.$old.inPlace?.reading = 9
            state.$new.inPlace?.reading = 9
            state.$coming.inPlace?.reading = 9
        }
        for (meter, child) in Watched.children {
            for isInPlace in [false, true] {
                var state = Watched.State()
                state[keyPath: child] = Meter.State()
                let store = Store(initialState: state, reducer: Watched(meter: meter))
                let held = HeldEffect()
                try await store.dispatch(.meter(.presented(.start(held.effect()))))
                await held.waitUntilBegun()
                try await store.dispatch(.change(isInPlace ? changeInPlace : assign))
                await held.finish()
                #expect(await store.state[keyPath: child]?.reading == (isInPlace ? 1_009 : 9))
                #expect(held.wasCancelled.elements == [!isInPlace], "\(child)")
            }
        }
    }
}

private func modify<Value>(_ value: inout Value, _ body: (inout Value) -> Void) { body(&value) }

/// A child that can be dismissed, and that dismisses itself.
struct Details: Reducer {
    struct State: Equatable, Sendable {
        let row: Int
        var amount = 0
        var looks: [String] = []
    }

    /// The ways in which it goes.
    enum Way: Sendable { case effect, send, dependency, captured, overridden, error }

    enum Action: Sendable {
        case add(Int)
        case hold(HeldEffect)
        case leave(Way)
        case leaveLater(Way, Departure, isDetached: Bool)
        case leaveWithDeadline(Way, Departure, ManualClock)
        case look
        case failAndLook
        case fail
        case saw(String)
        case lookElsewhere(Store<State, Action>)
    }

    @Dependency(\.dismiss) var dismiss
    @Dependency(\.isPresented) var isPresented

    var body: some Reducer<State, Action> {
        Reduce { state, action in
            switch action {
            case .add(let amount):
                state.amount += amount
            case .hold(let held):
                return held.effect().map { action in
                    if case .record(let amount) = action { .add(amount) } else { .look }
                }
            case .leave(.effect):
                return .dismiss()
            case .leave(.send):
                return .run { send in send.dismiss() }
            case .leave(.dependency), .leave(.overridden):
                return .run { _ in dismiss() }
            case .leave(.captured):
                return .run { [dismiss] _ in dismiss() }
            case .leaveLater(let way, let departure, let isDetached):
                let effect = Effect<Action>.concatenate(
                    .run { send in
                        await departure.begin.wait()
                        if way == .send { departure.outcomes.append(send.dismiss()) }
                        if way == .dependency { departure.outcomes.append(dismiss()) }
                    },
                    way == .effect ? .dismiss() : .none
                )
                return isDetached ? effect.detached() : effect
            case .leaveWithDeadline(let way, let departure, let clock):
                return .run { send in
                    await departure.begin.wait()
                    departure.outcomes.append(way == .send ? send.dismiss() : dismiss())
                }.timeout(after: .seconds(5), clock: clock) { .add(1) }
            case .look:
                state.looks.append("reducer \(isPresented)")
                return .run { send in send(.saw("effect \(isPresented) \(send.isPresented)")) }
            case .leave(.error):
                return .fail(CancellationError()).catch { _ in
                    dismiss()
                    return nil
                }
            case .failAndLook:
                return .concatenate(
                    .run { _ in
                        throw CancellationError()
                    } catch: { _ in
                        .saw("catch \(isPresented)")
                    },
                    .fail(CancellationError()).catch { _ in .saw("catch \(isPresented)") }
                )
            case .fail:
                return .fail(CancellationError())
            case .saw(let text):
                state.looks.append(text)
            case .lookElsewhere(let store):
                return .run { _ in try await store.dispatch(.look).finish() }
            }
            return .none
        }
        // A reducer with its own dependencies lies between the effect and the presenter.
        Reduce { _, action in
            guard case .leave(.overridden) = action else { return .none }
            return .run { _ in #expect(isPresented) }
        }
        .dependency(\.number, 5)
    }
}

/// The ways in which a test makes a child dismiss itself later.
struct Departure: Sendable {
    let begin = Latch()
    let outcomes = Collector<SendOutcome>()
}

/// The presenter, and an alert.
struct Desk: Reducer {
    struct State: Equatable, Sendable {
        @Presented var details: Details.State?
        @Presented var alert: String?
        var goesOn = false
        var log: [String] = []
    }

    enum AlertAction: Sendable { case confirm, askAgain }

    enum Action: Sendable {
        case details(PresentationAction<Details.Action>)
        case alert(PresentationAction<AlertAction>)
        case show(Int)
        case close
        case change(@Sendable (inout State) -> Void)
    }

    @Dependency(\.isPresented) var isPresented
    var whenMissing = MissingChildPolicy.report
    var effects = ChildEffects.endWithChild

    var body: some Reducer<State, Action> {
        Reduce { state, action in
            switch action {
            case .details(.presented(.saw)): state.log.append("the parent is presented: \(isPresented)")
            case .details(.presented): state.log.append("details \(state.details?.amount ?? -1)")
            case .details(.dismiss):
                state.log.append("dismissed with \(state.details?.amount ?? -1)")
                if state.goesOn, let details = state.details { state.details = Details.State(row: details.row + 1) }
            case .alert(.presented(.confirm)): state.log.append("alert \(state.alert ?? "")")
            case .alert(.presented(.askAgain)): state.alert = "Really?"
            case .alert(.dismiss): break
            case .show(let row):
                state.log.append("show")
                state.details = Details.State(row: row)
            case .close: return .dismiss()
            case .change(let change): change(&state)
            }
            return .none
        }
        .ifPresented(\.$details, action: .details, whenMissing: whenMissing, effects: effects) { Details() }
        .ifPresented(\.$alert, action: .alert, lifetime: .oneAction, whenMissing: whenMissing) { EmptyReducer() }
    }
}

extension CasePath where Root == Desk.Action, Value == PresentationAction<Details.Action> {
    static let details = CasePath(embed: Root.details) { if case .details(let action) = $0 { action } else { nil } }
}

extension CasePath where Root == Desk.Action, Value == PresentationAction<Desk.AlertAction> {
    static let alert = CasePath(embed: Root.alert) { if case .alert(let action) = $0 { action } else { nil } }
}
