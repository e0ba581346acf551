import Testing

@testable import ActorStoreTesting

@Suite("The log of a test store", .timeLimit(.minutes(10)))
struct TestStoreLogTests {
    @Test("Actions sent by others right before or after a dispatched action are distinguished from it")
    func order() {
        var log = TestStoreLog<Int, String>()
        let dispatch = log.beginDispatch()
        log.note("before", 1)
        log.bracket(dispatch, true)
        log.note("own", 2)
        log.bracket(dispatch, false)
        log.note("after", 3)
        let own = log.endDispatch()
        #expect(own.before.map(\.action) == ["before"])
        #expect(own.reductions.map(\.state) == [2])
        #expect(log.received.map(\.action) == ["after"])
        #expect(log.received.allSatisfy { !$0.isLate })
        let nothing = log.endDispatch()
        #expect(nothing.before.isEmpty && nothing.reductions.isEmpty)
    }

    @Test("The reductions of an abandoned dispatch are late, in their place among others, also during the next one")
    func late() {
        var log = TestStoreLog<Int, String>()
        let former = log.beginDispatch()
        _ = log.endDispatch()
        log.note("before", 1)
        let dispatch = log.beginDispatch()
        for (number, action) in [(former, "late"), (dispatch, "own")] {
            log.bracket(number, true)
            log.note(action, 2)
            log.bracket(number, false)
        }
        let own = log.endDispatch()
        #expect(own.before.map(\.action) == ["before", "late"] && own.before.map(\.isLate) == [false, true])
        #expect(own.reductions.map(\.action) == ["own"])
    }
}
