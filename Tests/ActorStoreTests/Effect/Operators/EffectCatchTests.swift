import ActorStore
import Testing

@testable import TestFixtures

@Suite("Catching errors of effects", .timeLimit(.minutes(10)))
struct EffectCatchTests {
    typealias Action = Ledger.Action

    struct Broken: Error, Equatable { let number: Int }

    private func failing(_ number: Int) -> Effect<Action> { .run { _ in throw Broken(number: number) } }

    private func entry(_ sender: Int, _ error: any Error) -> Action? {
        (error as? Broken).map { .enter(sender, $0.number) }
    }

    @Test("catch turns errors of all operations of an effect into actions, however the effect is composed")
    func composed() async throws {
        let store = Ledger.store()
        let effect = Effect<Action>.concatenate(
            failing(1),
            .merge(failing(2), .send(.add(10)), failing(3).detached()),
            .fail(Broken(number: 4))
        ).catch { entry(0, $0) }
        try await store.dispatch(.start(effect)).finish()
        let state = await store.state
        #expect(state.entries.map(\.number).sorted() == [1, 2, 3, 4])
        #expect(state.entries.first?.number == 1 && state.entries.last?.number == 4)
        #expect(state.total == 14)
    }

    @Test("The innermost catch handles an error, also if it returns no action")
    func nearest() async throws {
        let store = Ledger.store()
        let errors = store.errors
        let effect = Effect<Action>.merge(
            .run { _ in
                throw Broken(number: 1)
            } catch: { error in
                entry(1, error)
            },
            failing(2).catch { entry(2, $0) },
            failing(3).catch { _ in nil },
            failing(4)
        ).catch { entry(4, $0) }
        try await store.dispatch(.start(effect)).finish()
        #expect(Set(await store.state.entries.map { "\($0.sender) \($0.number)" }) == ["1 1", "2 2", "4 4"])
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().isEmpty)
    }

    @Test("fail reaches store.errors and the StoreTask, with its source location, if nothing catches it")
    func fail() async throws {
        let store = Ledger.store()
        let errors = store.errors
        let line: UInt = #line + 1
        let task = try await store.dispatch(.start(.fail(Broken(number: 1))))
        await #expect(throws: Broken(number: 1)) { try await task.finish() }
        let failure = try #require(try await errors.first(1).first)
        #expect(failure.error as? Broken == Broken(number: 1))
        guard case .effect(_, let source) = failure.origin else {
            Issue.record("Not an effect: \(failure)")
            return
        }
        #expect(source.fileID == #fileID && source.line == line)
    }

    @Test("Errors of cancelled operations do not reach catch")
    func cancelled() async throws {
        let store = Ledger.store()
        let caught = Collector<String>()
        let effect = Effect<Action>.run(id: 1) { _ in
            await untilCancelled()
            throw Broken(number: 1)
        }.catch { error in
            caught.append("\(error)")
            return nil
        }
        let task = try await store.dispatch(.start(effect))
        try await store.dispatch(.start(.cancel(id: 1)))
        try await task.finish()
        #expect(caught.elements.isEmpty)
    }

    @Test("Errors of a child's effects are caught as the child's actions, and embedded")
    func mapped() async throws {
        let store = Ledger.store()
        let inner = Effect<Int>.fail(Broken(number: 1)).catch { ($0 as? Broken)?.number }
        try await store.dispatch(.start(inner.map { .enter(9, $0) })).finish()
        #expect(await store.state.entries == [Ledger.Entry(sender: 9, number: 1)])
    }
}
