import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 10: overload is visible", .timeLimit(.minutes(10)))
struct VisibleOverloadTests {
    func store(_ policy: MailboxCapacity.OverflowPolicy) -> Store<Ledger.State, Ledger.Action> {
        Ledger.store(configuration: StoreConfiguration(mailbox: .bounded(3, whenFull: policy)))
    }

    @Test("An idle store reduces at once, whatever its capacity")
    func idleStoresAreNeverFull() async throws {
        let store = store(.reject)
        for number in 0..<100 { #expect(store.send(.enter(0, number)) == .accepted) }
        #expect(store.send(contentsOf: (0..<100).map { .enter(0, $0) }) == .accepted)
        #expect(store.revision == 200)
    }

    @Test(".reject refuses sends, and dispatch throws")
    func reject() async throws {
        let store = store(.reject)
        let hold = await store.holdUp()
        for number in 0..<3 { #expect(store.send(.enter(0, number)) == .accepted) }
        #expect(store.send(.enter(0, 3)) == .refused(.overloaded))
        await #expect(throws: StoreError.overloaded) { try await store.dispatch(.enter(0, 4)) }
        #expect(store.statistics.waitingActions == 3)
        hold.release()
        #expect(await store.state.entries.map(\.number) == [0, 1, 2])
        #expect(store.send(.enter(0, 5)) == .accepted)
    }

    @Test(".dropNewest drops and counts new actions")
    func dropNewest() async throws {
        let store = store(.dropNewest)
        let hold = await store.holdUp()
        for number in 0..<3 { #expect(store.send(.enter(0, number)) == .accepted) }
        #expect(store.send(.enter(0, 3)) == .dropped)
        await #expect(throws: StoreError.overloaded) { try await store.dispatch(.enter(0, 4)) }
        #expect(store.statistics.droppedActions == 2)
        hold.release()
        #expect(await store.state.entries.map(\.number) == [0, 1, 2])
    }

    @Test(".dropOldest drops and counts the oldest waiting action, and its dispatch throws")
    func dropOldest() async throws {
        let store = store(.dropOldest)
        let hold = await store.holdUp()
        let dispatcher = Task { try await store.dispatch(.enter(0, 0)) }
        await until { store.statistics.waitingActions > 0 }
        #expect(store.send(.enter(0, 1)) == .accepted)
        #expect(store.send(.enter(0, 2)) == .accepted)
        #expect(store.send(.enter(0, 3)) == .acceptedDroppingOldest)
        await #expect(throws: StoreError.overloaded) { try await dispatcher.value }
        for number in 4..<100 { #expect(store.send(.enter(0, number)) == .acceptedDroppingOldest) }
        #expect(store.statistics.droppedActions == 97)
        #expect(store.statistics.waitingActions == 3)
        hold.release()
        #expect(await store.state.entries.map(\.number) == [97, 98, 99])
    }

    @Test(".suspend makes dispatch wait for room in order of arrival, and refuses sends")
    func suspend() async throws {
        let store = store(.suspend)
        let hold = await store.holdUp()
        for number in 0..<3 { #expect(store.send(.enter(0, number)) == .accepted) }
        var dispatchers: [Task<Void, any Error>] = []
        for number in 3..<10 {
            dispatchers.append(Task { try await store.dispatch(.enter(0, number)) })
            await until { store.statistics.suspendedDispatches >= dispatchers.count }
        }
        #expect(store.send(.enter(0, 10)) == .refused(.overloaded))
        #expect(store.statistics.waitingActions == 3)
        hold.release()
        for dispatcher in dispatchers { try await dispatcher.value }
        #expect(store.snapshot.entries.map(\.number) == Array(0..<10))
    }

    @Test("A dispatch that waits for room can be cancelled: it throws, and its action is never reduced")
    func suspendedDispatchesCanBeCancelled() async throws {
        let store = store(.suspend)
        let hold = await store.holdUp()
        for number in 0..<3 { store.send(.enter(0, number)) }
        let dispatcher = Task { try await store.dispatch(.enter(0, 3)) }
        let patient = Task { try await store.dispatch(.enter(0, 4)) }
        await until { store.statistics.suspendedDispatches >= 2 }
        dispatcher.cancel()
        await #expect(throws: StoreError.cancelled) { try await dispatcher.value }
        hold.release()
        _ = try await patient.value
        #expect(store.snapshot.entries.map(\.number) == [0, 1, 2, 4])
    }

    @Test("A cancellation does not affect a dispatch whose action was accepted")
    func acceptedDispatchesGoOn() async throws {
        let store = store(.suspend)
        let hold = await store.holdUp()
        let dispatcher = Task { try await store.dispatch(.enter(0, 0)) }
        await until { store.statistics.waitingActions > 0 }
        dispatcher.cancel()
        hold.release()
        _ = try await dispatcher.value
        #expect(store.snapshot.entries.map(\.number) == [0])
    }

    @Test("A batch counts as many as it has actions, and is accepted or refused as a whole")
    func batches() async throws {
        for policy: MailboxCapacity.OverflowPolicy in [.reject, .suspend] {
            let store = store(policy)
            let hold = await store.holdUp()
            #expect(store.send(contentsOf: [.add(1), .add(1)]) == .accepted)
            #expect(store.send(contentsOf: [.add(10), .add(10)]) == .refused(.overloaded))
            #expect(store.send(.add(100)) == .accepted)
            hold.release()
            #expect(await store.state.total == 102)
        }
        let dropping = store(.dropOldest)
        let hold = await dropping.holdUp()
        #expect(dropping.send(contentsOf: [.add(1), .add(1)]) == .accepted)
        #expect(dropping.send(contentsOf: [.add(10), .add(10)]) == .acceptedDroppingOldest)
        #expect(dropping.send(contentsOf: (0..<4).map { _ in .add(1_000) }) == .dropped)
        hold.release()
        #expect(await dropping.state.total == 20)
    }

    @Test("Reads and subscriptions bypass a full mailbox")
    func readsPass() async throws {
        let store = store(.reject)
        let hold = await store.holdUp()
        for number in 0..<3 { store.send(.enter(0, number)) }
        let values = store.values(of: \.total)
        let read = Task { await store.read(\.total) }
        hold.release()
        #expect(await read.value == 3)
        #expect(try await values.first(1) == [3])
    }

    @Test("An effect whose action is lost to a full mailbox gets an error, and so do observers of errors")
    func lostFeedbackIsReported() async throws {
        let store = store(.reject)
        let errors = store.errors
        let began = Signal()
        let goOn = Signal()
        let outcome = Collector<SendOutcome>()
        let task = try await store.dispatch(
            .start(
                .run(id: "work") { send in
                    began.fire()
                    await goOn.wait()
                    outcome.append(send(.add(1)))
                }
            )
        )
        await began.wait()
        let hold = await store.holdUp()
        for number in 0..<3 { store.send(.enter(0, number)) }
        goOn.fire()
        await until { !outcome.elements.isEmpty }
        hold.release()
        try await task.finish()
        #expect(outcome.elements == [.refused(.overloaded)])
        let failure = try await errors.first(1).first
        #expect(failure?.error as? StoreError == .overloaded)
    }
}
