import ActorStore
import Testing

@Suite("Guarantee 12: misuse traps with a message that names it", .timeLimit(.minutes(10)))
struct MisuseTests {
    #if os(Linux) || os(macOS)
        @Test("A reducer that reads its own store's snapshot traps")
        func reducerReadsItsSnapshot() async throws {
            let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                final class Holder: Sendable {
                    nonisolated(unsafe) weak var store: Store<Int, Int>?  // Written once, before the first action.
                }
                let holder = Holder()
                let store = Store(initialState: 0) { (count: inout Int, step: Int) in
                    count += step + (holder.store?.snapshot ?? 0)
                }
                holder.store = store
                store.send(1)
            }
            #expect(text(result).contains("A reducer read the snapshot of its own store"))
        }

        @Test("Two tasks that wait for the next element of one iterator trap")
        func twoTasksOneIterator() async throws {
            let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
                var iterator = store.values(of: \.self).makeAsyncIterator()
                _ = await iterator.next()
                nonisolated(unsafe) let shared = iterator  // The misuse.
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            var copy = shared
                            _ = await copy.next()
                        }
                    }
                }
            }
            #expect(text(result).contains("Two tasks wait for the next element of one iterator"))
        }

        @Test("A mailbox without room traps")
        func mailboxWithoutRoom() async throws {
            let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = MailboxCapacity.bounded(0, whenFull: .reject)
            }
            #expect(text(result).contains("A mailbox must have room for at least one action"))
        }

        @Test("A buffer without room traps")
        func bufferWithoutRoom() async throws {
            let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = BufferingPolicy.bounded(0)
            }
            #expect(text(result).contains("A buffer must have room for at least one element"))
        }

        private func text(_ result: ExitTest.Result) -> String {
            String(decoding: result.standardErrorContent, as: UTF8.self)
        }
    #endif
}
