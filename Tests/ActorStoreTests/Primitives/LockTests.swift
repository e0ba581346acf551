import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Locks", .timeLimit(.minutes(10)))
struct LockTests {
    final class Protected: @unchecked Sendable {
        // Sound: accessed only under the locks, which is what is tested.
        let lock = Lock()
        let blocking = BlockingLock()
        var count = 0
    }

    @Test("More threads than cores lose no increment", arguments: [true, false])
    func exclusion(spinning: Bool) async {
        let protected = Protected()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                let done = Signal()
                onThread {
                    for _ in 0..<20_000 {
                        if spinning {
                            protected.lock.withLock { protected.count += 1 }
                        } else {
                            protected.blocking.withLock { protected.count += 1 }
                        }
                    }
                    done.fire()
                }
                group.addTask { await done.wait() }
            }
        }
        #expect(protected.lock.withLock { protected.count } == 160_000)
    }
}
