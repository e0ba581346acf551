import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 3: read your writes", .timeLimit(.minutes(10)))
struct ReadYourWritesTests {
    /// Keeps one number for each writer.
    struct Board: Reducer {
        struct State: Equatable, Sendable { var numbers = [Int](repeating: -1, count: 8) }
        struct Action: Sendable { let writer: Int, number: Int }
        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            state.numbers[action.writer] = action.number
            return .none
        }
    }

    @Test("Reads and observations of a task include all that it has dispatched, under 8 tasks")
    func readsReflectDispatches() async throws {
        let store = Store(initialState: Board.State(), reducer: Board())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        try await store.dispatch(Board.Action(writer: writer, number: number))
                        #expect(store.snapshot.numbers[writer] == number)
                        #expect(await store.state.numbers[writer] == number)
                        #expect(await store.read(\.numbers)[writer] == number)
                        if number.isMultiple(of: 50) {
                            for await numbers in store.values(of: \.numbers) {
                                #expect(numbers[writer] == number)
                                break
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.revision == 4_000)
    }

    @Test("state and read include everything that the task has sent before")
    func readsComeAfterSends() async {
        let store = Ledger.store()
        let hold = await store.holdUp()
        for _ in 0..<100 { store.send(.add(1)) }
        let reads = [
            Task { await store.state.total },
            Task { await store.read(\.total) },
            Task { await store.read(\.isEven) ? 100 : 0 },
        ]
        // They cannot have returned: the store is held up.
        #expect(store.statistics.reducedActions == 0)
        hold.release()
        for read in reads { #expect(await read.value == 100) }
    }

    @Test("A snapshot taken during a reduction waits for the end of that action, and is never torn")
    func snapshotsAreNeverTorn() async {
        struct Pair: Equatable, Sendable { var left: [Int] = [0], right: [Int] = [0] }
        let store = Store(initialState: Pair()) { (pair: inout Pair, number: Int) in
            pair.left = [number]
            pair.right = [number]
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 1...20_000 { store.send(number) } }
            for _ in 0..<2 {
                group.addTask {
                    var last = 0
                    for _ in 0..<20_000 {
                        let pair = store.snapshot
                        #expect(pair.left == pair.right)
                        #expect(pair.left[0] >= last)
                        last = pair.left[0]
                    }
                }
            }
        }
    }

    @Test("A snapshot waits for a slow reducer, and includes its action")
    func snapshotWaitsForTheReducer() async {
        let store = Store(initialState: 0) { (count: inout Int, hold: Hold) in
            hold.enter()
            count += 1
        }
        let hold = Hold()
        onThread { store.send(hold) }
        await hold.waitUntilEntered()
        let begun = Signal()
        let done = Signal()
        let seen = Collector<Int>()
        onThread {
            begun.fire()
            seen.append(store.snapshot)
            done.fire()
        }
        await begun.wait()
        #expect(seen.elements.isEmpty)
        hold.release()
        await done.wait()
        #expect(seen.elements == [1])
    }
}
