import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 4: observers", .timeLimit(.minutes(10)))
struct ObserversTests {
    @Test("An observer gets the current value first, then changes")
    func currentValueFirst() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(7))
        var iterator = store.values(of: \.total).makeAsyncIterator()
        #expect(await iterator.next() == 7)
        try await store.dispatch(.add(1))
        #expect(await iterator.next() == 8)
    }

    @Test(
        "An observer under load never goes back, never gets equal values in a row, and gets the newest in the end",
        arguments: [
            BufferingPolicy.latest, .unbounded, .bounded(4, onOverflow: .dropOldest),
            .bounded(4, onOverflow: .dropNewest),
        ]
    )
    func underLoad(policy: BufferingPolicy) async throws {
        let store = Ledger.store()
        let count = 5_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let values = store.values(of: \.total, buffering: policy)
                group.addTask {
                    var last = -1
                    for await value in values {
                        #expect(value > last)
                        if policy == .unbounded { #expect(value == last + 1) }
                        last = value
                        if value == 2 * count { break }
                    }
                    #expect(last == 2 * count)
                }
            }
            for sender in 0..<2 {
                group.addTask { for number in 0..<count { store.send(.enter(sender, number)) } }
            }
            try await group.waitForAll()
        }
    }

    @Test("A value that changes and changes back while its observer is busy is not delivered twice")
    func changeAndBack() async throws {
        let store = Ledger.store()
        var iterator = store.values(of: \.total).makeAsyncIterator()
        #expect(await iterator.next() == 0)
        try await store.dispatch(.add(1))
        try await store.dispatch(.add(-1))
        try await store.dispatch(.write("unrelated"))
        let next = Task { [iterator] in
            var iterator = iterator
            return await iterator.next()
        }
        try await store.dispatch(.add(5))
        #expect(await next.value == 5)
    }

    @Test("A slow unbounded observer gets every distinct value, in order")
    func unboundedGetsEveryValue() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total, buffering: .unbounded)
        for amount in [1, 0, 2, 0, 0, 3] { try await store.dispatch(.add(amount)) }
        #expect(try await values.first(4) == [0, 1, 3, 6])
        #expect(values.droppedCount == 0)
    }

    @Test("A bounded observer drops the oldest value and counts it")
    func dropOldest() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total, buffering: .bounded(3, onOverflow: .dropOldest))
        for _ in 1...10 { try await store.dispatch(.add(1)) }
        #expect(values.droppedCount == 8)
        #expect(try await values.first(3) == [8, 9, 10])
    }

    @Test("A bounded observer that drops the newest keeps the oldest values, and still ends with the newest")
    func dropNewest() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total, buffering: .bounded(3, onOverflow: .dropNewest))
        for _ in 1...10 { try await store.dispatch(.add(1)) }
        #expect(values.droppedCount == 8)
        #expect(try await values.first(4) == [0, 1, 2, 10])
        #expect(values.droppedCount == 7)
    }

    @Test("A bounded observer can end when it falls behind, and reports this by its end and its count")
    func finishOnOverflow() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total, buffering: .bounded(3, onOverflow: .finish))
        for _ in 1...10 { try await store.dispatch(.add(1)) }
        #expect(try await values.all() == [0, 1, 2])
        #expect(values.droppedCount == 8)
    }

    @Test("A batch is one notification: values between its actions are not visible")
    func batchNotifiesOnce() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total, buffering: .unbounded)
        let calls = Collector<Int>()
        let token = store.observe(\.total) { calls.append($0) }
        store.send(contentsOf: (1...100).map { _ in .add(1) })
        try await store.dispatch(.add(1))
        #expect(try await values.first(3) == [0, 100, 101])
        #expect(calls.elements == [0, 100, 101])
        token.cancel()
    }
}
