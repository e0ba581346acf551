import Synchronization
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("The read-mostly lock", .timeLimit(.minutes(10)))
struct ReadMostlyLockTests {
    /// Two numbers that are always equal, except during a change.
    private final class Pair: @unchecked Sendable {
        // Sound: both are accessed only under `lock`.
        let lock = ReadMostlyLock()
        var numbers = (0, 0)
    }

    @Test("Readers and writers exclude each other, and no write is lost")
    func exclusion() async {
        let pair = Pair()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for number in 0..<5_000 {
                        pair.lock.withWriting {
                            pair.numbers.0 += 1
                            pair.numbers.1 += 1
                        }
                        if number.isMultiple(of: 100) { await Task.yield() }
                    }
                }
                group.addTask {
                    for number in 0..<20_000 {
                        let (first, second) = pair.lock.withReading { pair.numbers }
                        if first != second { Issue.record("\(first) is not \(second).") }
                        if number.isMultiple(of: 100) { await Task.yield() }
                    }
                }
            }
        }
        #expect(pair.numbers == (15_000, 15_000))
    }

    @Test("Readers run concurrently, and a writer waits until all have ended")
    func sharing() async {
        let pair = Pair()
        let first = pair.lock.beginReading()
        let second = pair.lock.beginReading()
        let hasWritten = Atomic<Bool>(false)
        let (begun, ended) = (Signal(), Signal())
        onThread {
            begun.fire()
            pair.lock.withWriting { hasWritten.store(true, ordering: .relaxed) }
            ended.fire()
        }
        await begun.wait()
        pair.lock.endReading(first)
        await letOtherTasksRun()
        let tooEarly = hasWritten.load(ordering: .relaxed)
        #expect(!tooEarly)
        pair.lock.endReading(second)
        await ended.wait()
        let inTheEnd = hasWritten.load(ordering: .relaxed)
        #expect(inTheEnd)
    }
}
