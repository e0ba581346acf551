import ActorStore
import ActorStoreViews
import Foundation
import Testing

@testable import TestFixtures

@Suite("Consumers", .timeLimit(.minutes(10)))
struct ConsumerTests {
    private let store = Profile.store()

    // MARK: Two steps

    @Test("A consumer gets props of the current state, then of each change, in its isolation, never equal ones")
    func twoSteps() async {
        let display = NameDisplay()
        store.connect(display, state: \.person)
        await until { await display.shown == ["ADA"] }
        store.send(.visited)
        store.send(.person(.age))
        await until { display.made.elements.count == 2 }
        store.send(.person(.rename("Grace")))
        await until { await display.shown == ["ADA", "GRACE"] }
        #expect(display.made.elements == ["Ada", "Ada", "Grace"])
    }

    @Test("Props are made on the given executor, neither in the store's turn nor on the consumer")
    func executor() async throws {
        let hold = Hold()
        let executor = RecordingExecutor()
        let display = NumberDisplay()
        store.connect(display, state: \.visits, on: executor) { visits, _ in
            if visits == 0 { hold.enter() }
            return visits
        }
        await hold.waitUntilEntered()
        // Neither waits for the props.
        try await store.dispatch(.visited)
        #expect(await display.shown == [])
        hold.release()
        await until { await display.shown == [0, 1] }
        #expect(!executor.jobs.elements.isEmpty)
    }

    @Test("A busy consumer gets all changes since its last update as one")
    func busy() async {
        actor Slow: PropsConsumer {
            let entered = Signal()
            let exit = Signal()
            private(set) var shown: [Int] = []

            func update(_ number: Int) async {
                shown.append(number)
                guard number == 0 else { return }
                entered.fire()
                await exit.wait()
            }
        }
        let slow = Slow()
        store.connect(slow, state: \.visits)
        await slow.entered.wait()
        for _ in 0..<100 { store.send(.visited) }
        slow.exit.fire()
        await until { await slow.shown == [0, 100] }
    }

    @Test(
        "The isolation of a consumer's type decides where it is updated: an actor, the main actor, or nonisolated"
    )
    func isolations() async {
        let (background, main, anywhere) = (NumberDisplay(), MainDisplay(), NumberCollector())
        store.connect(background, state: \.visits)
        store.connect(main, state: \.visits)
        store.connect(anywhere, state: \.visits)
        await until { await background.shown == [0] }
        await until { await main.shown == [0] }
        await until { anywhere.shown.elements == [0] }
    }

    // MARK: Connectors

    private struct AgeConnector: StateConnector {
        let unit: Int
        func props(from state: Profile.Person, send: Send<Profile.Action>) -> Int { state.age * unit }
    }

    private struct VisitConnector: StateConnector {
        func props(from state: Profile.State, send: Send<Profile.Action>) -> Int { -state.visits }
    }

    @Test("Connectors are values, of the whole state or a part; closures and key paths work as well")
    func connectors() async {
        let displays = (0..<4).map { _ in NumberDisplay() }
        store.connect(displays[0], state: \.person, by: AgeConnector(unit: 12))
        store.connect(displays[1], by: VisitConnector())
        store.connect(displays[2], state: \.person) { person, _ in person.name.count }
        store.connect(displays[3], state: \.visits)
        for (display, number) in zip(displays, [36 * 12, 0, 3, 0]) { await until { await display.shown == [number] } }
        store.send(.visited)
        await until { await displays[1].shown == [0, -1] }
        await until { await displays[3].shown == [0, 1] }
        #expect(await displays[0].shown.count == 1)
    }

    @Test(
        "A consumer that is its own connector gets the whole state, a part, a computed part, or a sequence of states"
    )
    func selfConnectors() async {
        final class Whole: StateConsumer {
            let shown = Collector<Int>()
            func props(from state: Profile.State, send: Send<Profile.Action>) -> Int { state.visits }
            func update(_ props: Int) { shown.append(props) }
        }
        let (whole, filtered) = (Whole(), Whole())
        let (computed, timed) = (NameDisplay(), NameDisplay())
        let clock = ManualClock()
        store.connect(whole)
        store.connect(filtered, state: \.self, removeDuplicates: .by(\.person))
        store.connect(computed, state: { state in state.person })
        store.connect(timed, to: store.values(of: \.person).debounce(for: .milliseconds(7), clock: clock))
        await until { whole.shown.elements == [0] && filtered.shown.elements == [0] }
        await until { await computed.shown == ["ADA"] }
        await until { await timed.shown == ["ADA"] }
        store.send(.visited)
        await until { whole.shown.elements == [0, 1] }
        store.send(.person(.rename("Grace")))
        store.send(.person(.rename("Emmy")))
        await until { await computed.shown.last == "EMMY" }
        await until { filtered.shown.elements == [0, 1] }
        await clock.waitForSleepers()
        #expect(await timed.shown == ["ADA"])
        clock.advance(by: .milliseconds(7))
        await until { await timed.shown == ["ADA", "EMMY"] }
    }

    @Test("Props can have callbacks that send actions, through a scope its own, and do not keep the store alive")
    func callbacks() async {
        struct Form: Equatable, Sendable {
            let name: String
            let rename: @Sendable (String) -> SendOutcome
            static func == (left: Form, right: Form) -> Bool { left.name == right.name }
        }
        actor FormDisplay: PropsConsumer {
            private(set) var form: Form?
            func update(_ form: Form) { self.form = form }
        }
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        weak let observed = store
        let display = FormDisplay()
        store?.scope(state: \.person, action: Profile.Action.person).connect(display, state: \.name) { name, send in
            Form(name: name) { name in send(.rename(name)) }
        }
        await until { await display.form?.name == "Ada" }
        #expect(await display.form?.rename("Grace") == .accepted)
        await until { await display.form?.name == "Grace" }
        #expect(store?.snapshot.person.name == "Grace")
        store = nil
        #expect(observed == nil)
        #expect(await display.form?.rename("Emmy") == .refused(.shutDown))
    }

    @Test("Props for a closure isolated to an actor are made off the store as well")
    func closures() async {
        let display = NumberDisplay()
        let made = Collector<Int>()
        var token: StoreObservation? = store.observe(
            \.person,
            map: { person in
                made.append(person.age)
                return person.name.count
            },
            isolatedTo: display
        ) { display, count in
            display.update(count)
        }
        await until { await display.shown == [3] }
        store.send(.person(.age))
        await until { made.elements == [36, 37] }
        store.send(.person(.rename("Grace")))
        await until { await display.shown == [3, 5] }
        token = nil
        await until { store.statistics.observers == 0 }
        #expect(token == nil)
    }

    @Test("An observation of props ends with the first change after its actor's release, also with equal props")
    func actorOfProps() async {
        let made = Collector<Int>()
        var display: NumberDisplay? = NumberDisplay()
        let token = store.observe(
            \.person,
            map: { person in
                made.append(person.age)
                return person.name.count
            },
            isolatedTo: display!
        ) { display, count in
            display.update(count)
        }
        await until { await display!.shown == [3] }
        weak let observed = display
        display = nil
        await until { observed == nil }
        store.send(.person(.age))
        await until { store.statistics.observers == 0 }
        #expect(made.elements == [36])
        withExtendedLifetime(token) {}
    }

    @Test("A closure is not called with props after its observation is cancelled, also by the actor itself")
    func cancellingProps() async {
        actor Display {
            private(set) var shown: [String] = []
            func show(_ name: String) { shown.append(name) }

            func cancel(_ token: StoreObservation, while body: @Sendable () -> Void, isMade: @Sendable () -> Bool) {
                body()
                while !isMade() { sched_yield() }
                // Time for the call to wait for this actor.
                usleep(20_000)
                token.cancel()
            }
        }
        let (display, made) = (Display(), Collector<String>())
        let token = store.observe(
            \.person.name,
            map: { name in
                made.append(name)
                return name
            },
            // The actor blocks a thread of the pool meanwhile.
            on: ThreadExecutor(),
            isolatedTo: display
        ) { $0.show($1) }
        await until { await display.shown == ["Ada"] }
        await display.cancel(token) {
            store.send(.person(.rename("Grace")))
        } isMade: {
            made.elements.count == 2
        }
        // Behind the call, if there is one.
        for _ in 0..<10 { #expect(await display.shown == ["Ada"]) }
    }

    // MARK: Lifetimes

    @Test("A connection does not retain the consumer: it ends with the first change after the consumer's release")
    func consumerLifetime() async {
        var display: NumberDisplay? = NumberDisplay()
        weak let observed = display
        let connection = store.connect(display!, state: \.visits)
        await until { await display!.shown == [0] }
        display = nil
        await until { observed == nil }
        store.send(.visited)
        await until { store.statistics.observers == 0 }
        withExtendedLifetime(connection) {}
    }

    @Test("A connection continues without its token, and ends when it is cancelled, or with its bag")
    func tokens() async {
        let (free, cancelled, bagged) = (NumberDisplay(), NumberDisplay(), NumberDisplay())
        store.connect(free, state: \.visits)
        let connection = store.connect(cancelled, state: \.visits)
        var bag: ObservationBag? = ObservationBag()
        store.connect(bagged, state: \.visits).store(in: &bag!)
        for display in [free, cancelled, bagged] { await until { await display.shown == [0] } }
        connection.cancel()
        bag = nil
        await until { store.statistics.observers == 1 }
        store.send(.visited)
        await until { await free.shown == [0, 1] }
        #expect(await cancelled.shown == [0])
        #expect(await bagged.shown == [0])
        connection.start()
        #expect(store.statistics.observers == 1 && bag == nil)
    }

    @Test("A connection does not retain the store, and ends with it, after the newest props")
    func storeLifetime() async {
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        weak let observed = store
        let display = NumberDisplay()
        store?.connect(display, state: \.visits)
        store?.send(.visited)
        store = nil
        #expect(observed == nil)
        await until { await display.shown.last == 1 }
    }

    // MARK: Starting later

    @Test("A manually started connection observes nothing before, and begins with the state at its start")
    func manualStart() async {
        let display = NumberDisplay()
        let connection = store.connect(display, state: \.visits, start: .manual)
        store.send(.visited)
        #expect(store.statistics.observers == 0)
        connection.start()
        connection.start()
        #expect(store.statistics.observers == 1)
        await until { await display.shown == [1] }
        store.send(.visited)
        await until { await display.shown == [1, 2] }
    }

    @Test(
        "A connection cancelled before its start never begins, and retains neither store nor consumer"
    )
    func cancelledBeforeStart() async {
        var store: Store<Profile.State, Profile.Action>? = Profile.store()
        var display: NumberDisplay? = NumberDisplay()
        weak let (observedStore, observedDisplay) = (store, display)
        let connection = store!.connect(display!, state: \.visits, start: .manual)
        let other = store!.connect(display!, state: \.visits, start: .manual)
        other.cancel()
        other.start()
        #expect(store?.statistics.observers == 0)
        (store, display) = (nil, nil)
        #expect(observedStore == nil && observedDisplay == nil)
        connection.start()
    }

    // MARK: Cancellation at work

    private actor BusyDisplay: StateConsumer {
        let entered = Signal()
        let mayEnd = Latch()

        nonisolated func props(from state: Int, send: Send<Profile.Action>) -> String { "\(state)" }

        func update(_ text: String) async {
            entered.fire()
            await mayEnd.wait()
        }
    }

    @Test("A connection cancelled during an update of its consumer stops observing")
    func cancelledAtWork() async {
        let clock = ManualClock()
        let connect: [(BusyDisplay) -> Connection] = [
            { [store] in store.connect($0, state: \.visits) },
            { [store] in store.connect($0, state: \.visits, removeDuplicates: .everyAction) },
            { [store] in store.connect($0, to: store.values(of: \.visits).debounce(for: .seconds(1), clock: clock)) },
        ]
        for connect in connect {
            let display = BusyDisplay()
            let connection = connect(display)
            await display.entered.wait()
            #expect(store.statistics.observers == 1)
            connection.cancel()
            #expect(store.statistics.observers == 0)
            display.mayEnd.open()
        }
    }

    @Test("An observation of props cancelled while they are made stops observing")
    func cancelledWhileMapping() async {
        let hold = Hold()
        let display = NumberDisplay()
        var token: StoreObservation? = store.observe(
            \.visits,
            map: { visits in
                hold.enter()
                return visits
            },
            on: RecordingExecutor(),
            isolatedTo: display
        ) { _, _ in }
        await hold.waitUntilEntered()
        #expect(store.statistics.observers == 1 && token != nil)
        token = nil
        #expect(store.statistics.observers == 0)
        hold.release()
    }

    @Test("A manually started connection to a child retains the child until its start or cancellation")
    func manualStartOfAChild() async {
        for isStarted in [true, false] {
            weak var child: Token?
            func connect(_ display: NumberDisplay) -> Connection {
                let token = Token()
                child = token
                return store.child(
                    initialState: 5,
                    reducer: Reduce { (_: inout Int, _: Profile.Action) in
                        withExtendedLifetime(token) {}
                    }
                )
                .connect(display, state: \.local, start: .manual)
            }
            let display = NumberDisplay()
            let connection = connect(display)
            #expect(child != nil)
            if isStarted { connection.start() } else { connection.cancel() }
            await until { child == nil }
            if isStarted { await until { await display.shown == [5] } }
        }
    }
}
