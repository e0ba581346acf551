import ActorStore
import Testing

@testable import TestFixtures

@Suite("Faults: senders faster than the reducer", .timeLimit(.minutes(10)))
struct OverrunTests {
    private static let limit = 100
    private static let senders = 8

    @Test(
        "A bounded mailbox under a thousandfold overload keeps its limit, and reports every loss",
        arguments: [MailboxCapacity.OverflowPolicy.reject, .dropNewest, .dropOldest, .suspend]
    )
    func sends(policy: MailboxCapacity.OverflowPolicy) async throws {
        let census = Census()
        let store = Parcels.store(
            configuration: StoreConfiguration(mailbox: .bounded(Self.limit, whenFull: policy))
        )
        let hold = await store.holdUpParcels()
        let accepted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.senders {
                group.addTask {
                    (0..<Self.limit * 1_000 / Self.senders).count { _ in
                        store.send(.put(census.member())).isAccepted
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(census.living <= Self.limit)
        #expect(census.most <= Self.limit + 2 * Self.senders)
        let waiting = store.statistics
        #expect(waiting.waitingActions <= Self.limit)
        hold.release()
        let received = await store.state.received
        // Only displaced ones of the accepted actions are missing, and they are counted.
        let dropped = store.statistics.droppedActions
        switch policy {
        case .dropOldest: #expect(received + dropped == accepted)
        case .dropNewest: #expect(received == accepted && received + dropped == Self.limit * 1_000)
        default: #expect(received == accepted && dropped == 0)
        }
        // Payloads are released at the end of the turn, perhaps after the response.
        await until { census.living == 1 }
    }

    @Test("Dispatchers wait for room, with one action each, and all are accepted")
    func dispatches() async throws {
        let census = Census()
        let store = Parcels.store(
            configuration: StoreConfiguration(mailbox: .bounded(4, whenFull: .suspend))
        )
        let hold = await store.holdUpParcels()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4_000 { group.addTask { try await store.dispatch(.put(census.member())) } }
            await until { store.statistics.suspendedDispatches > 0 }
            #expect(store.statistics.waitingActions <= 4)
            hold.release()
            try await group.waitForAll()
        }
        #expect(store.snapshot.received == 4_000)
        // Payloads are released at the end of the turn, perhaps after the response.
        await until { census.living == 1 }
    }

    @Test("An unbounded mailbox accepts an overload, reports how many wait, and releases its memory with them")
    func unbounded() async throws {
        let census = Census()
        let store = Parcels.store()
        let hold = await store.holdUpParcels()
        for _ in 0..<100_000 { store.send(.put(census.member())) }
        #expect(store.statistics.waitingActions == 100_000)
        #expect(census.living == 100_000)
        hold.release()
        let state = await store.state
        #expect(state.received == 100_000)
        // Payloads are released at the end of the turn, perhaps after the response.
        await until { census.living == 1 }
    }

    @Test(
        "A settled read waits for a slow reducer without blocking a thread, and includes all earlier actions"
    )
    func slowReducer() async throws {
        let store = Parcels.store()
        let census = Census()
        store.send(.put(census.member()))
        let hold = await store.holdUpParcels()
        store.send(.put(census.member()))
        let settled = Task { await store.state.received }
        hold.release()
        #expect(await settled.value == 2)
    }
}
