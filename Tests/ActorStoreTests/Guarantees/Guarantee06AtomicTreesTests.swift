import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 6: atomic trees", .timeLimit(.minutes(10)))
struct Guarantee06AtomicTreesTests {
    private static func count(_ sum: inout Int, _ step: Int) { sum += step }

    private let root: Store<Int, Int>
    private let child: Store<ParentAndChild<Int, Int>, Int>
    private let grandchild: Store<ParentAndChild<ParentAndChild<Int, Int>, Int>, Int>

    init() {
        root = Store(initialState: 0, reduce: Self.count)
        child = root.child(initialState: 0, reducer: Reduce(Self.count))
        grandchild = child.child(initialState: 0, reducer: Reduce(Self.count))
    }

    @Test("An action of a child is reduced by it and its ancestors in one turn, and each notifies once")
    func oneTurn() async throws {
        let received = Collector<[Int]>()
        let tokens = [
            root.observe(\.self) { received.append([0, $0]) },
            child.observe(\.local) { received.append([1, $0]) },
            grandchild.observe(\.local) { received.append([2, $0]) },
        ]
        try await grandchild.dispatch(5)
        #expect(root.revision == 1)
        #expect(received.elements.sorted { $0[0] < $1[0] } == [[0, 0], [0, 5], [1, 0], [1, 5], [2, 0], [2, 5]])
        withExtendedLifetime(tokens) {}
    }

    @Test("No reader sees a partly propagated state under concurrent senders, and batches are atomic")
    func neverTorn() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    for number in 0..<500 {
                        if number.isMultiple(of: 10) {
                            grandchild.send(contentsOf: [1, -1, 1])
                        } else {
                            _ = try? await grandchild.dispatch(1)
                        }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for read in 0..<500 {
                        let state = grandchild.snapshot
                        #expect(state.local == state.parent.local)
                        #expect(state.local == state.parent.parent)
                        // Seldom, because it lets all other tests go first.
                        if read.isMultiple(of: 100) { await Task.yield() }
                    }
                }
            }
        }
        #expect(await root.state == 1_000)
    }

    @Test("Actions sent to a parent or a sibling do not reach a child")
    func isolation() async throws {
        let sibling = root.child(initialState: 0, reducer: Reduce(Self.count))
        try await root.dispatch(1)
        try await child.dispatch(1)
        try await sibling.dispatch(1)
        #expect(grandchild.snapshot == ParentAndChild(parent: ParentAndChild(parent: 3, local: 1), local: 0))
        #expect(sibling.snapshot.local == 1)
    }
}
