import ActorStore
import Testing

@testable import ActorStorePersistence

@Suite("Retries of writes")
struct WriteRetriesTests {
    private let start = ContinuousClock.now

    @Test("Delays double from 10 ms to one second, until the limit is over")
    func delays() {
        var retries = WriteRetries(for: .seconds(30))
        let delays = (0..<9).map { retries.noteFailure(hasEntries: true, at: start + .milliseconds($0)) }
        #expect(delays == [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000].map { .milliseconds($0) })
        #expect(retries.noteFailure(hasEntries: true, at: start + .milliseconds(29_999)) == .seconds(1))
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(30)) == nil)
        #expect(retries.isFailing)
        retries.noteSuccess()
        #expect(!retries.isFailing)
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(31)) == .milliseconds(10))
    }

    @Test("An action is retried for the whole limit, however long a snapshot was retried before it")
    func actionDuringSnapshot() {
        var retries = WriteRetries(for: .seconds(30))
        #expect(retries.noteFailure(hasEntries: false, at: start) != nil)
        #expect(retries.noteFailure(hasEntries: false, at: start + .seconds(29)) != nil)
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(31)) != nil)
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(60)) != nil)
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(61)) == nil)
    }

    @Test("A deletion after which there is more to delete restarts the limit and the delays")
    func progress() {
        var retries = WriteRetries(for: .seconds(30))
        for second in 0..<5 { _ = retries.noteFailure(hasEntries: true, at: start + .seconds(second)) }
        #expect(retries.isLasting(at: start + .seconds(5)))
        retries.noteProgress(at: start + .seconds(20))
        #expect(!retries.isLasting(at: start + .milliseconds(20_999)))
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(49)) == .milliseconds(10))
        #expect(retries.noteFailure(hasEntries: true, at: start + .seconds(50)) == nil)
    }

    @Test("A failure lasts after a second, or after half of a shorter limit", arguments: [(30, 1_000), (1, 500)])
    func lastingFailure(limit: Int, milliseconds: Int) {
        var retries = WriteRetries(for: .seconds(limit))
        #expect(!retries.isLasting(at: start))
        _ = retries.noteFailure(hasEntries: true, at: start)
        #expect(!retries.isLasting(at: start + .milliseconds(milliseconds - 1)))
        #expect(retries.isLasting(at: start + .milliseconds(milliseconds)))
    }

    @Test("A writer without time for retries fails at once")
    func noTime() {
        var retries = WriteRetries(for: .zero)
        #expect(retries.noteFailure(hasEntries: true, at: start) == nil)
    }
}
