import Soaking
import Testing

@Suite("Action checks of a soak", .timeLimit(.minutes(10)))
struct TallyTests {
    private func tally(_ actions: [(sender: Int, number: Int)]) -> Tally {
        var tally = Tally(senders: 2)
        for (sender, number) in actions { tally.take(number, of: sender) }
        return tally
    }

    private let sent = [(0, 1), (1, 1), (0, 2), (0, 5), (1, 7)]

    @Test("Accepted and reduced actions pass, in any order of the senders")
    func right() {
        #expect(tally(sent).flaw(against: tally(sent)) == nil)
        #expect(tally([(1, 1), (1, 7), (0, 1), (0, 2), (0, 5)]).flaw(against: tally(sent)) == nil)
    }

    @Test("Any lost action is detected")
    func lost() {
        for index in sent.indices {
            var fewer = sent
            fewer.remove(at: index)
            #expect(tally(fewer).flaw(against: tally(sent))?.contains("were lost") == true)
            #expect(tally(fewer).flaw(against: tally(sent), mayLose: true) == nil)
        }
    }

    @Test("A doubled action is detected, also together with a lost one, and when losses are allowed")
    func doubled() {
        let more = tally(sent + [(1, 8)])
        #expect(more.flaw(against: tally(sent))?.contains("doubled") == true)
        #expect(more.flaw(against: tally(sent), mayLose: true)?.contains("doubled") == true)
        let exchanged = tally([(0, 1), (1, 1), (0, 3), (0, 5), (1, 7)])
        #expect(exchanged.flaw(against: tally(sent))?.contains("another one doubled") == true)
    }

    @Test("An order other than the sender's is detected, and so is a repeated action")
    func order() {
        #expect(tally([(0, 2), (1, 1), (0, 1), (0, 5), (1, 7)]).flaw(against: tally(sent))?.contains("order") == true)
        #expect(
            tally([(0, 1), (0, 1)]).flaw(against: tally([(0, 1), (0, 2)]), mayLose: true)?.contains("order") == true
        )
    }

    @Test("Tallies of several stores are added")
    func sums() {
        var sum = tally([(0, 1), (1, 1)])
        sum.add(tally([(0, 2), (0, 5), (1, 7)]))
        #expect(sum == tally(sent))
    }
}
