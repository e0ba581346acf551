import ActorStore
import ActorStoreCommands
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Waiting sends without a store to wait for", .timeLimit(.minutes(10)))
struct SendWithoutRoomTests {
    @Test("A waiting send throws after the release of the store")
    func goneStore() async throws {
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store()
        let leaked = Collector<Send<Ledger.Action>>()
        try await store?.dispatch(.start(.run { send in leaked.append(send) })).finish()
        store = nil
        await #expect(throws: StoreError.shutDown) { try await leaked.elements[0].waitingForRoom(.add(1)) }
    }

    @Test("A waiting send of an ended effect throws `cancelled`, and `shutDown` when the store has ended as well")
    func endedEffect() async throws {
        let store = Ledger.store()
        let leaked = Collector<Send<Ledger.Action>>()
        try await store.dispatch(.start(.run { send in leaked.append(send) })).finish()
        await #expect(throws: StoreError.cancelled) { try await leaked.elements[0].waitingForRoom(.add(1)) }
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) { try await leaked.elements[0].waitingForRoom(.add(1)) }
        #expect(store.snapshot.total == 0)
    }

    @Test(
        "A waiting send of a source or a consumer throws after the shutdown of the store",
        arguments: Sender.allCases
    )
    func endedStore(sender: Sender) async throws {
        let store = Ledger.store()
        let send = try await sender.make(for: store)
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) { try await send.waitingForRoom(.add(1)) }
        #expect(store.snapshot.total == 0)
    }

    @Test(
        "A send of a source or a consumer does not wait until its action has been reduced",
        arguments: Sender.allCases
    )
    func waitsForNothing(sender: Sender) async throws {
        let store = Ledger.store()
        let send = try await sender.make(for: store)
        let hold = await store.holdUp()
        try await send.waitingForRoom(.add(1))
        #expect(store.statistics.waitingActions == 1)
        hold.release()
        #expect(await store.state.total == 1)
    }

    @Test(
        "A send of a source or a consumer throws if the mailbox is full, and its action is not accepted",
        arguments: Sender.allCases,
        [MailboxCapacity.OverflowPolicy.suspend, .reject, .dropNewest]
    )
    func fullMailbox(sender: Sender, policy: MailboxCapacity.OverflowPolicy) async throws {
        let store = Ledger.store(configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: policy)))
        let (errors, send) = (store.errors, try await sender.make(for: store))
        let hold = await store.holdUp()
        #expect(store.send(.add(1)) == .accepted)
        await #expect(throws: StoreError.overloaded) { try await send.waitingForRoom(.add(10)) }
        hold.release()
        #expect(await store.state.total == 1)
        // The errors of a source reach those of its store.
        withExtendedLifetime(errors) {}
    }

    /// Displays totals, and publishes its sender.
    private actor Display: StateConsumer {
        private let senders: Collector<Send<Ledger.Action>>

        init(senders: Collector<Send<Ledger.Action>>) { self.senders = senders }

        nonisolated func props(from state: Ledger.State, send: Send<Ledger.Action>) -> Int {
            senders.append(send)
            return state.total
        }

        func update(_ total: Int) {}
    }

    /// Senders to a store that are not its effects.
    enum Sender: CaseIterable {
        case source, consumer

        func make(for store: Store<Ledger.State, Ledger.Action>) async throws -> Send<Ledger.Action> {
            let senders = Collector<Send<Ledger.Action>>()
            switch self {
            case .source:
                store.use(
                    .observing(
                        .source { send in
                            senders.append(send)
                            return {}
                        }
                    )
                )
            case .consumer:
                let display = Display(senders: senders)
                store.connect(display)
                await until { !senders.elements.isEmpty }
                withExtendedLifetime(display) {}
            }
            return senders.elements[0]
        }
    }
}
