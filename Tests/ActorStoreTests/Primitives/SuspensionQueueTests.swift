import Testing

@testable import ActorStore

@Suite("The queue of suspended callers", .timeLimit(.minutes(10)))
struct SuspensionQueueTests {
    @Test("Suspended callers leave in order, or early by their key, and each only once")
    func order() {
        var queue = SuspensionQueue<String>()
        let keys = ["a", "b", "c", "d"].map { queue.append($0) }
        #expect(queue.remove(keys[1]) == "b")
        #expect(queue.remove(keys[1]) == nil)
        #expect(queue.removeFirst() == "a")
        #expect(queue.remove(keys[0]) == nil)
        #expect(queue.count == 2)
        #expect(queue.removeAll() == ["c", "d"])
        #expect(queue.isEmpty && queue.removeFirst() == nil)
        #expect(queue.append("e") != keys[3])
        #expect(queue.removeFirst() == "e")
    }
}
