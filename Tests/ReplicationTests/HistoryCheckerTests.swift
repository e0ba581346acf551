import Testing

@testable import ReplicationWorkload

/// A checker without findings proves nothing: each kind of violation is in a history here.
@Suite("Histories of stores")
struct HistoryCheckerTests {
    /// A state after a number of actions, of one order of them or of another.
    private func point(_ revision: UInt64, _ order: UInt64 = 1) -> StatePoint {
        StatePoint(revision: revision, digest: revision &* 1_000 + order)
    }

    private func dispatch(
        _ writer: String,
        _ number: Int,
        _ begin: UInt64,
        _ end: UInt64?,
        at point: StatePoint? = nil
    ) -> History.Dispatch {
        History.Dispatch(process: "p", writer: writer, number: number, begin: begin, end: end, point: point)
    }

    private func read(_ begin: UInt64, _ end: UInt64, _ point: StatePoint) -> History.Read {
        History.Read(process: "r", begin: begin, end: end, point: point)
    }

    private func outcome(_ newest: [String: Int], _ point: StatePoint) -> History.Outcome {
        History.Outcome(newest: newest, disorders: [], point: point, owed: 0)
    }

    /// Two writers; the last action of the second one was never acknowledged.
    private var good: History {
        var history = History()
        history.dispatches = [
            dispatch("a", 1, 10, 20, at: point(1)), dispatch("b", 1, 12, 25), dispatch("a", 2, 30, 40, at: point(3)),
            dispatch("b", 2, 32, nil),
        ]
        history.reads = [
            read(11, 18, point(0)), read(26, 29, point(2)), read(31, 45, point(2)), read(46, 50, point(4)),
        ]
        return history
    }

    @Test("The history of a log that keeps its acknowledged actions has no violations")
    func goodHistory() {
        #expect(HistoryChecker(good, outcome(["a": 2, "b": 2], point(4))).violations == [])
        var short = good
        short.reads.removeLast()
        #expect(HistoryChecker(short, outcome(["a": 2, "b": 1], point(3))).violations == [])
    }

    @Test("A history without acknowledged actions proves nothing")
    func empty() {
        var history = History()
        history.dispatches = [dispatch("a", 1, 10, nil)]
        #expect(HistoryChecker(history, outcome([:], point(0))).violations == [.empty])
    }

    @Test("A lost or doubled acknowledged action is detected")
    func lost() {
        let violations = HistoryChecker(good, outcome(["a": 1, "b": 2], point(4))).violations
        #expect(violations == [.lost(writer: "a", number: 2, last: 1)])
        var doubled = outcome(["a": 2, "b": 2], point(4))
        doubled.disorders = ["a#1 behind 1"]
        #expect(HistoryChecker(good, doubled).violations == [.disordered("a#1 behind 1")])
    }

    @Test("An action without a sender, or behind one unknown to its sender, is detected")
    func invented() {
        var violations = HistoryChecker(good, outcome(["a": 2, "b": 3], point(4))).violations
        #expect(violations == [.invented(writer: "b", number: 3)])
        violations = HistoryChecker(good, outcome(["a": 2, "b": 1, "c": 1], point(4))).violations
        #expect(violations == [.invented(writer: "c", number: 1)])
    }

    @Test("Two states of one revision are detected, also a read one and the final one")
    func split() {
        var history = good
        history.reads.append(read(47, 51, point(4, 2)))
        #expect(HistoryChecker(history, outcome(["a": 2, "b": 2], point(4))).violations == [.split(revision: 4)])
        let other = HistoryChecker(good, outcome(["a": 2, "b": 2], point(4, 2)))
        #expect(other.violations == [.split(revision: 4)])
    }

    @Test("A read that misses earlier acknowledged actions, or goes back, is detected")
    func stale() {
        var history = good
        history.reads.append(read(41, 44, point(2)))
        let behind = HistoryViolation.stale(process: "r", revision: 2, known: 3, isRead: true)
        #expect(HistoryChecker(history, outcome(["a": 2, "b": 2], point(4))).violations == [behind])
        history = good
        history.reads.append(read(51, 53, point(3)))
        let back = HistoryViolation.stale(process: "r", revision: 3, known: 4, isRead: true)
        #expect(HistoryChecker(history, outcome(["a": 2, "b": 2], point(4))).violations == [back])
        // The read state is gone at the end.
        let short = HistoryChecker(good, outcome(["a": 2, "b": 1], point(3)))
        #expect(short.violations == [back])
    }

    @Test("An action reduced before one that had ended at its beginning is detected")
    func disorder() {
        var history = good
        history.dispatches.append(dispatch("c", 1, 41, 47, at: point(3)))
        let late = HistoryViolation.stale(process: "p", revision: 3, known: 3, isRead: false)
        #expect(HistoryChecker(history, outcome(["a": 2, "b": 2, "c": 1], point(4))).violations == [late])
    }

    /// The server came back with the first two actions only, and continued with another one.
    private var lossy: History {
        var history = good
        history.losses = [History.Loss(mark: 28, kill: 48, restart: 60)]
        history.dispatches.append(dispatch("c", 1, 61, 70, at: point(3, 2)))
        history.reads += [read(62, 65, point(2)), read(71, 75, point(3, 2))]
        return history
    }

    @Test("Actions lost by a server behind its mark may be gone, and each side of the loss has its own order")
    func loss() {
        #expect(HistoryChecker(lossy, outcome(["a": 1, "b": 1, "c": 1], point(3, 2))).violations == [])
        var history = lossy
        history.losses = []
        #expect(!HistoryChecker(history, outcome(["a": 1, "b": 1, "c": 1], point(3, 2))).violations.isEmpty)
    }

    @Test("Actions kept by a server that lost its end must not be gone, nor later ones")
    func excess() {
        var violations = HistoryChecker(lossy, outcome(["a": 1, "c": 1], point(3, 2))).violations
        #expect(violations == [.lost(writer: "b", number: 1, last: 0)])
        violations = HistoryChecker(lossy, outcome(["a": 1, "b": 1], point(3, 2))).violations
        #expect(violations == [.lost(writer: "c", number: 1, last: 0)])
    }

    @Test("A process that reads lost actions after the server is back is detected")
    func lostRead() {
        var history = lossy
        history.reads.append(read(72, 74, point(3)))
        let violations = HistoryChecker(history, outcome(["a": 1, "b": 1, "c": 1], point(3, 2))).violations
        #expect(violations == [.split(revision: 3)])
        // It may have been answered before the server was killed, as long as it began before the server was back.
        history = lossy
        history.reads.append(read(47, 74, point(3)))
        #expect(HistoryChecker(history, outcome(["a": 1, "b": 1, "c": 1], point(3, 2))).violations == [])
    }

    @Test("A token with two holders, and owed work that was never done, are detected")
    func leases() {
        var history = good
        history.holders = [7: ["x"], 8: ["x", "y"]]
        let end = outcome(["a": 2, "b": 2], point(4))
        #expect(HistoryChecker(history, end).violations == [.shared(token: 8, holders: ["x", "y"])])
        history = good
        history.dispatches[2].isOwing = true
        #expect(HistoryChecker(history, end).violations == [.undone("a#2")])
        history.done = ["a#2": 1]
        #expect(HistoryChecker(history, end).violations == [])
        var owing = end
        owing.owed = 1
        #expect(HistoryChecker(history, owing).violations == [.undone("1 entries")])
    }

    @Test("A history is read from the output of processes, and an invalid line is detected")
    func lines() {
        var history = History()
        history.add(
            [
                "joined 5 0", "begin 10 a/1 1", "begin 11 a/2 1 owing", "end 20 a/1 1", "end 21 a/2 1 2 77",
                "read 22 23 2 77", "did a/2#1 4", "lease 4 a", "begin 24 a/1 2", "idle", "state 2 {}",
            ],
            of: "a"
        )
        #expect(history.dispatches.map(\.end) == [20, 21, nil])
        #expect(history.dispatches[1].point == StatePoint(revision: 2, digest: 77))
        #expect(history.dispatches.map(\.isOwing) == [false, true, false])
        #expect(history.reads.map(\.point) == [StatePoint(revision: 2, digest: 77)])
        #expect(history.done == ["a/2#1": 1])
        #expect(history.holders == [4: ["a"]])
        #expect(history.unreadable == [])
        #expect(history.acknowledged == 2)
        let outcome = outcome(["a/1": 1, "a/2": 1], StatePoint(revision: 2, digest: 77))
        #expect(HistoryChecker(history, outcome).violations == [])
        history.add(["end 30 a/9 1", "begin x", "what"], of: "b")
        #expect(history.unreadable == ["end 30 a/9 1", "begin x", "what"])
    }
}
