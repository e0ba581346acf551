import ActorStore
import ActorStoreInstruments
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Batches of children", .timeLimit(.minutes(10)))
struct ChildBatchTests {
    @Test(
        "A batch to the child of an idle tree is reduced at once, whatever the mailbox's capacity",
        arguments: [MailboxCapacity.OverflowPolicy.reject, .dropNewest, .dropOldest, .suspend]
    )
    func idle(policy: MailboxCapacity.OverflowPolicy) {
        let root = Store(
            initialState: 0,
            configuration: StoreConfiguration(mailbox: .bounded(2, whenFull: policy))
        ) { (count: inout Int, step: Int) in count += step }
        let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
        #expect(child.send(contentsOf: [1, 1, 1]) == .accepted)
        #expect(child.snapshot.local == 3 && root.snapshot == 3)
        child.beginShutdown(drain: .cancelEffects)
        #expect(child.send(contentsOf: [1]) == .refused(.shutDown))
    }

    @Test("A step that cancels an identity reaches effects of later actions of its batch, in a child as in a root")
    func cancelledLater() async {
        let ended = Collector<Bool>()
        func reducer() -> Reduce<Int, Int> {
            let mayGoOn = Latch()
            return Reduce { _, action in
                guard action == 1 else {
                    return .run(id: "work") { _ in
                        mayGoOn.open()
                        try? await Task.sleep(for: .seconds(3_600))
                        ended.append(Task.isCancelled)
                    }
                }
                return .concatenate(.fireAndForget { await mayGoOn.wait() }, .cancel(id: "work"))
            }
        }
        let root = Store(initialState: 0, reducer: reducer())
        root.send(contentsOf: [1, 2])
        await root.shutdown(drain: .finishEffects)
        let parent = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let child = parent.child(initialState: 0, reducer: reducer())
        child.send(contentsOf: [1, 2])
        await child.shutdown(drain: .finishEffects)
        #expect(ended.elements == [true, true])
    }

    @Test("The effects of a batch of 20,000 actions do not overflow the stack")
    func manyEffects() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let child = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in action == 0 ? .send(1) : .none }
        )
        child.send(contentsOf: Array(repeating: 0, count: 20_000))
        await until { root.snapshot == 20_000 }
    }

    // MARK: Batches that take their child away

    private struct Hotel: Equatable, Sendable {
        var rooms: TreeDictionary<String, Int> = ["blue": 0]
        /// A part that exists as long as the hotel does.
        var optionalRooms: TreeDictionary<String, Int>? { rooms }
    }

    private struct City: Equatable, Sendable {
        var hotels: TreeDictionary<String, Hotel> = ["Ritz": Hotel()]
        var log: [Step] = []
    }

    private enum Step: Equatable, Sendable { case add, close, open, work }

    /// The place of the child that receives a batch.
    enum Place: CaseIterable, Sendable {
        case entry, childOfEntry, grandchildOfEntry
        case entryOfEntry, entryOfScope, entryOfPartOfScope, entryOfOptionalPart
    }

    private static func makeCity() -> Store<City, Step> {
        let reducer = Reduce<City, Step> { city, step in
            city.log.append(step)
            switch step {
            case .add: city.hotels["Ritz"]?.rooms["blue"]? += 1
            case .close: city.hotels["Ritz"] = nil
            case .open: city.hotels["Ritz"] = Hotel(rooms: ["blue": 100])
            case .work: return .fireAndForget {}
            }
            return .none
        }
        return Store(initialState: City(), reducer: reducer)
    }

    /// Calls `body` with a child of a city that counts its actions, and ends when the hotel closes.
    private func withChild(
        of city: Store<City, Step>,
        at place: Place,
        _ body: (_ child: Store<Int, Step>) async throws -> Void
    ) async throws {
        let count = Reduce<Int, Step> { count, _ in
            count += 1
            return .none
        }
        let entries = city.children(forEach: \.hotels, initialState: { _, _ in 0 }, reducer: count) { $1 }
        let scopes = city.scopes(forEach: \.hotels) { (_: String, step: Step) in step }
        let (entry, scope) = (try #require(entries["Ritz"]), try #require(scopes["Ritz"]))
        func withRooms<State: Sendable>(
            of store: Store<State, Step>,
            _ rooms: KeyPath<State, TreeDictionary<String, Int>> & Sendable
        ) async throws {
            let children = store.children(forEach: rooms, initialState: { _, _ in 0 }, reducer: count) { $1 }
            try await body(#require(children["blue"]).scope(\.local))
            withExtendedLifetime(children) {}
        }
        let child = entry.child(initialState: 0, reducer: count) { (step: Step) in step }
        switch place {
        case .entry: try await body(entry.scope(\.local))
        case .childOfEntry: try await body(child.scope(\.local))
        case .grandchildOfEntry:
            let grandchild = child.child(initialState: 0, reducer: count) { (step: Step) in step }
            try await body(grandchild.scope(\.local))
        case .entryOfEntry: try await withRooms(of: entry, \.parent.rooms)
        case .entryOfScope: try await withRooms(of: scope, \.rooms)
        case .entryOfPartOfScope: try await withRooms(of: scope.scope(\.rooms), \.self)
        case .entryOfOptionalPart:
            let part = scope.scopeIfLet(state: \.optionalRooms, action: { $0 })
            try await withRooms(of: #require(part.store), \.self)
            withExtendedLifetime(part) {}
        }
        withExtendedLifetime((entries, scopes, child)) {}
    }

    @Test(
        "Actions after the removal of the entry by its child's batch are late; single actions are refused",
        arguments: Place.allCases
    )
    func takesItsEntryAway(place: Place) async throws {
        let steps = [Step.add, .close, .add, .open, .add]
        for isBatch in [false, true] {
            let (city, recorder) = (Self.makeCity(), RecordingInstrument())
            city.use(recorder)
            try await withChild(of: city, at: place) { child in
                if isBatch { child.send(contentsOf: steps) } else { for step in steps { child.send(step) } }
                #expect(city.snapshot == City(hotels: [:], log: [.add, .close]), "\(isBatch)")
                #expect(child.snapshot == 2 && child.send(.add) == .refused(.shutDown))
            }
            _ = await city.state
            let late = recorder.events.compactMap { event in
                if case .actionDropped(let dropped) = event, case .late = dropped.reason { dropped.count } else { nil }
            }
            #expect(late == (isBatch ? [3] : []) && city.statistics.lateActions == late.reduce(0, +))
        }
    }

    @Test("Actions after the removal of the entry in a batch that waits for a busy store are late")
    func takesItsEntryAwayLater() async throws {
        let city = Self.makeCity()
        try await withChild(of: city, at: .entry) { child in
            let token = city.observe(\.log) { log in
                if log == [.add] { child.send(contentsOf: [.close, .open, .add]) }
            }
            try await city.dispatch(.add)
            _ = await city.state
            #expect(city.snapshot == City(hotels: [:], log: [.add, .close]))
            #expect(child.snapshot == 1 && city.statistics.lateActions == 2)
            token.cancel()
        }
    }

    @Test("The effects of a batch that removes its child's entry are reported with their actions")
    func effectsOfTheRest() async throws {
        let (city, recorder) = (Self.makeCity(), RecordingInstrument())
        city.use(recorder)
        try await withChild(of: city, at: .entry) { child in
            child.send(contentsOf: [.add, .work, .close, .work, .work])
        }
        await city.shutdown(drain: .finishEffects)
        let causes = recorder.events.compactMap { event in
            if case .effectBegan(let effect) = event { effect.cause } else { nil }
        }
        #expect(causes == [2])
    }

    @Test("A batch to a child continues after the removal of other entries, or a replacement in the same action")
    func takesOthersAway() async throws {
        enum Edit: Sendable { case put(Int, Int?), exchange(Int) }
        let root = Store(initialState: [1: 0, 2: 0]) { (table: inout TreeDictionary<Int, Int>, edit: Edit) in
            switch edit {
            case .put(let key, let value): table[key] = value
            case .exchange(let key):
                table[key] = nil
                table[key] = 50
            }
        }
        let count = Reduce<Int, Edit> { count, _ in
            count += 1
            return .none
        }
        let children = root.children(forEach: \.self, initialState: { _, _ in 0 }, reducer: count) { $1 }
        let (first, second) = (try #require(children[1]), try #require(children[2]))
        first.send(contentsOf: [.put(2, nil), .exchange(1), .put(2, 7), .put(1, 8)])
        #expect(first.snapshot == ParentAndChild(parent: 8, local: 4) && root.snapshot[2] == 7)
        #expect(children[1] === first && children[2] !== second)
        #expect(root.statistics.lateActions == 0)
    }
}
