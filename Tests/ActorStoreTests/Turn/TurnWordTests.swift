import Testing

@testable import ActorStore

@Suite("The turn word", .timeLimit(.minutes(10)))
struct TurnWordTests {
    let idle = TurnWord(bits: 0)

    func taken() throws -> TurnWord { try #require(idle.takenIfIdle) }

    @Test("An idle store is acquired for writing, and released")
    func takeAndLeave() throws {
        let word = try taken()
        #expect(word.isOwned && word.isWriting && !word.isPending)
        #expect(word.takenIfIdle == nil)
        #expect(word.leftIfUndisturbed == idle)
    }

    @Test("The fast release fails when the mailbox has pending messages or a reader waits")
    func disturbed() throws {
        let word = try taken()
        #expect(TurnWord(bits: word.bits | TurnWord.pendingBit).leftIfUndisturbed == nil)
        #expect(word.withOneMoreReader.leftIfUndisturbed == nil)
    }

    @Test("An owner does not leave while the mailbox has pending messages")
    func pending() {
        let word = TurnWord(bits: TurnWord.ownedBit | TurnWord.pendingBit)
        #expect(word.leftUnlessPending == nil)
        #expect(TurnWord(bits: TurnWord.ownedBit).leftUnlessPending == idle)
    }

    @Test("A turn left for others is taken over once, and not by the fast acquisition")
    func leftForOthers() throws {
        let left = TurnWord(bits: TurnWord.ownedBit).leftForOthers
        #expect(!left.isOwned && left.isPending)
        #expect(left.takenIfIdle == nil)
        #expect(left.withOneMoreReaderIfQuiet == nil)
        #expect(left.withOneMoreReader.activeReaders == 1)
        let taken = try #require(left.takenOver)
        #expect(taken.isOwned && taken.takenOver == nil)
        #expect(idle.takenOver == nil)
    }

    @Test("A reader of an idle store is active at once, and blocks the fast acquisition")
    func readerAtRest() {
        let word = idle.withOneMoreReader
        #expect(word.activeReaders == 1 && word.waitingReaders == 0)
        #expect(word.takenIfIdle == nil)
        #expect(TurnWord(bits: word.bits - TurnWord.oneActiveReader) == idle)
    }

    @Test("Readers that arrive during a write wait, and become active together, in a new phase")
    func readersWait() throws {
        let word = try taken().withOneMoreReader.withOneMoreReader
        #expect(word.activeReaders == 0 && word.waitingReaders == 2)
        let ended = word.withWritingEnded
        #expect(ended.activeReaders == 2 && ended.waitingReaders == 0)
        #expect(!ended.isWriting && ended.isOwned)
        #expect(ended.phase != word.phase)
    }

    @Test("A reader that arrives for the next write waits for the end of that one, not of the one before")
    func phases() throws {
        let first = try taken().withOneMoreReader.withWritingEnded
        let second = TurnWord(bits: first.bits | TurnWord.writingBit).withOneMoreReader
        #expect(second.activeReaders == 1 && second.waitingReaders == 1)
        // The active reader leaves; the waiting one stays until the end of the write.
        let alone = TurnWord(bits: second.bits - TurnWord.oneActiveReader)
        #expect(alone.activeReaders == 0 && alone.waitingReaders == 1 && alone.phase == first.phase)
        #expect(alone.withWritingEnded.phase != first.phase)
    }

    @Test("The end of a write without waiting readers changes no phase")
    func noOneWaits() throws {
        let word = try taken()
        #expect(word.withWritingEnded == TurnWord(bits: TurnWord.ownedBit))
    }

    @Test("A reader sleeps only during the write that it waits for")
    func parking() throws {
        let word = try taken().withOneMoreReader
        let parked = try #require(word.withParkedReader(of: word.phase))
        #expect(parked.hasParkedReaders)
        #expect(!parked.withWritingEnded.hasParkedReaders)
        #expect(parked.withWritingEnded.withParkedReader(of: word.phase) == nil)
    }

    @Test("A settled read does not begin while the store is owned")
    func quiet() throws {
        #expect(idle.withOneMoreReaderIfQuiet?.activeReaders == 1)
        #expect(try taken().withOneMoreReaderIfQuiet == nil)
        #expect(TurnWord(bits: TurnWord.ownedBit).withOneMoreReaderIfQuiet == nil)
    }

    @Test("Every sequence of up to 7 transitions keeps the invariants")
    func invariants() {
        var frontier: Set<UInt64> = [0]
        var known = frontier
        for _ in 0..<7 {
            var next: Set<UInt64> = []
            for bits in frontier {
                for word in successors(of: TurnWord(bits: bits)) where known.insert(word.bits).inserted {
                    #expect(!word.isWriting || word.isOwned)
                    #expect(!word.isPending || word.isOwned)
                    #expect(word.waitingReaders == 0 || word.isWriting)
                    #expect(!word.hasParkedReaders || word.waitingReaders > 0)
                    next.insert(word.bits)
                }
            }
            frontier = next
        }
        #expect(known.count > 50)
    }

    /// The words that threads can make by the gate's rules.
    private func successors(of word: TurnWord) -> [TurnWord] {
        var words = [word.takenIfIdle, word.leftIfUndisturbed, word.withOneMoreReaderIfQuiet].compactMap(\.self)
        if !word.isWriting, word.isOwned, let left = word.leftUnlessPending { words.append(left) }
        if word.isOwned { words.append(TurnWord(bits: word.bits | TurnWord.writingBit)) }
        if word.isPending { words.append(TurnWord(bits: word.bits & ~TurnWord.pendingBit)) }
        words.append(TurnWord(bits: word.bits | TurnWord.pendingBit | TurnWord.ownedBit))
        if word.isWriting { words.append(word.withWritingEnded) }
        if word.waitingReaders > 0, let parked = word.withParkedReader(of: word.phase) { words.append(parked) }
        if word.activeReaders + word.waitingReaders < 3 { words.append(word.withOneMoreReader) }
        if word.activeReaders > 0 { words.append(TurnWord(bits: word.bits - TurnWord.oneActiveReader)) }
        return words
    }
}
