#if Journal
    @testable import ActorStoreJournal
    import Foundation
    import Synchronization
    import Testing

    @Suite("The lock of a journal")
    struct JournalLockTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        @Test("It is free again when its holder goes, also while a process that is just being started has a copy of it")
        func copies() throws {
            var lock: JournalLock? = try JournalLock(of: workplace.journal)
            // As a child has one between fork and exec.
            let copy = dup(try #require(lock?.descriptor))
            defer { close(copy) }
            #expect(throws: JournalError(workplace.journal, .inUse)) { try JournalLock(of: workplace.journal) }
            lock = nil
            #expect(throws: Never.self) { try JournalLock(of: workplace.journal) }
        }

        @Test("An attempt that is refused leaves the lock with its holder, and closes nothing that is another's")
        func refusal() throws {
            let lock = try JournalLock(of: workplace.journal)
            let isOver = Atomic(false)
            let lost = Atomic(0)
            let path = workplace.path("another")
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 {
                    for _ in 0..<5_000 {
                        #expect(throws: JournalError(workplace.journal, .inUse)) {
                            try JournalLock(of: workplace.journal)
                        }
                    }
                    isOver.store(true, ordering: .releasing)
                } else {
                    while !isOver.load(ordering: .acquiring) {
                        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
                        for _ in 0..<10 where fcntl(descriptor, F_GETFD) < 0 { lost.add(1, ordering: .relaxed) }
                        close(descriptor)
                    }
                }
            }
            #expect(lost.load(ordering: .acquiring) == 0)
            withExtendedLifetime(lock) {}
        }
    }
#endif
