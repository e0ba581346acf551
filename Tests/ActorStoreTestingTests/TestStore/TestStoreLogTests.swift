import Testing

@testable import ActorStoreTesting

@Suite("The log of a test store", .timeLimit(.minutes(10)))
struct TestStoreLogTests {
    @Test("What others send right before a dispatched action, or after it, is told from it")
    func order() {
        var log = TestStoreLog<Int, String>()
        log.note("before", 1)
        log.bracket(true)
        log.note("own", 2)
        log.bracket(false)
        log.note("after", 3)
        let own = log.takeOwn()
        #expect(own.before.map(\.action) == ["before"])
        #expect(own.reductions.map(\.state) == [2])
        #expect(log.received.map(\.action) == ["after"])
        let nothing = log.takeOwn()
        #expect(nothing.before.isEmpty && nothing.reductions.isEmpty)
    }
}
