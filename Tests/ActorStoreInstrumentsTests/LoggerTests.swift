import ActorStore
import ActorStoreInstruments
import Testing

@testable import TestFixtures

@Suite("Loggers", .timeLimit(.minutes(10)))
struct LoggerTests {
    typealias Guardian = Interceptor<Ledger.State, Ledger.Action>

    @Test("A logger logs the outcome of each action, in the order of the actions")
    func outcomes() async throws {
        let log = Collector<LogEntry>()
        let guardian = Guardian("guardian") { action, _, next in
            if case .add(let amount) = action, amount < 0 { return }
            try next(action)
        }
        let configuration = StoreConfiguration(name: "orders")
        let store = Ledger.store(
            interceptors: [.logger(level: .debug, to: { log.append($0) }), guardian],
            configuration: configuration
        )
        store.send(.add(2))
        store.send(.add(-2))
        store.send(contentsOf: [.write("x"), .enter(1, 2)])
        let refusal = StoreError.rejected(by: "guardian")
        #expect(
            log.elements.map(\.description) == [
                "[debug] orders #1: add(2)",
                "[warning] orders #1: add(-2) was not let through: \(refusal)",
                "[debug] orders #2: write(\"x\")",
                "[debug] orders #3: enter(Entry(sender: 1, number: 2))",
            ]
        )
    }

    @Test("A filter selects the logged actions, and a closure describes them")
    func filterAndDescription() async throws {
        let log = Collector<String>()
        let logger = Guardian.logger(
            filter: { action in if case .add = action { true } else { false } },
            describe: { _ in "an amount" },
            to: { log.append($0.message) }
        )
        let store = Ledger.store(interceptors: [logger])
        store.send(.write("not this"))
        store.send(.add(1))
        #expect(log.elements == ["an amount"])
        #expect(store.snapshot.note == "not this")
    }

    @Test("Lines of many senders are in the order of the reductions")
    func order() async throws {
        let log = Collector<LogEntry>()
        let store = Ledger.store(interceptors: [.logger(to: { log.append($0) })])
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<200 { store.send(.enter(sender, number)) } }
            }
        }
        let entries = await store.state.entries
        #expect(log.elements.map(\.revision) == Array(1...800))
        #expect(
            log.elements.map(\.message) == entries.map { "enter(Entry(sender: \($0.sender), number: \($0.number)))" }
        )
    }

    @Test("Levels are ordered, and have names")
    func levels() {
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(
            LogLevel.allCases.map(\.description).joined(separator: " ")
                == "trace debug info notice warning error critical"
        )
    }

    @Test("Changes are logged as differences of the state, also for actions that change nothing or are stopped")
    func changes() async throws {
        let output = Collector<String>()
        let guardian = Guardian("guardian") { action, _, next in
            if case .add(let amount) = action, amount < 0 { return }
            try next(action)
        }
        let store = Ledger.store(interceptors: [.printChanges(to: { output.append($0) }), guardian])
        store.send(.add(2))
        store.send(.add(0))
        store.send(.add(-1))
        #expect(
            output.elements == [
                """
                #1 add(2)
                  State(
                -   total: 0
                +   total: 2
                    … (2 unchanged)
                  )
                """,
                "#2 add(0)\n  (nothing changed)",
                "#2 add(-1)\n  (was not let through: \(StoreError.rejected(by: "guardian")))",
            ]
        )
    }

    @Test("Changes can be filtered, and are logged for each action of a batch")
    func changesOfABatch() async throws {
        let output = Collector<String>()
        let printing = Guardian.printChanges { action in
            if case .add = action { true } else { false }
        } to: {
            output.append($0)
        }
        let store = Ledger.store(interceptors: [printing])
        store.send(contentsOf: [.add(1), .write("x"), .add(1)])
        #expect(output.elements.count == 2)
        #expect(output.elements.last?.contains("-   total: 1\n+   total: 2") == true)
    }

    #if os(Linux) || os(macOS)
        @Test("Both loggers write to standard error by default")
        func standardError() async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let store = Store(initialState: 0, interceptors: [.logger(), .printChanges()]) {
                    (count: inout Int, step: Int) in count += step
                }
                store.send(3)
            }
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.contains("#1 3\n- 0\n+ 3\n"))
            #expect(text.contains("[info] store #1: 3\n"))
        }
    #endif
}
