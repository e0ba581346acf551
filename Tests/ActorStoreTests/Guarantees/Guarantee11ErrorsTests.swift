import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 11: errors", .timeLimit(.minutes(10)))
struct ErrorsTests {
    struct Broken: Error, Equatable { let reason: String }

    @Test("After a shutdown dispatch throws .shutDown, send returns it, and the state stays readable")
    func afterShutdown() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(1))
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) { try await store.dispatch(.add(1)) }
        #expect(store.send(.add(1)) == .refused(.shutDown))
        #expect(store.send(contentsOf: [.add(1)]) == .refused(.shutDown))
        #expect(store.snapshot.total == 1)
        #expect(await store.state.total == 1)
        #expect(await store.read(\.isEven) == false)
        #expect(try await store.values(of: \.total).all() == [1])
    }

    @Test("An effect's error becomes an action if the effect maps it")
    func errorsBecomeActions() async throws {
        let store = Ledger.store()
        let effect = Effect<Ledger.Action>.run { _ in
            throw Broken(reason: "no network")
        } catch: { error in
            .write((error as? Broken)?.reason ?? "?")
        }
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state.note == "no network")
    }

    @Test("An unhandled error of an effect reaches store.errors and the StoreTask, with identity and place")
    func errorsReachTheStore() async throws {
        let store = Ledger.store()
        let errors = store.errors
        let line: UInt = #line + 1
        let task = try await store.dispatch(.start(.run(id: "load") { _ in throw Broken(reason: "no disk") }))
        await #expect(throws: Broken(reason: "no disk")) { try await task.finish() }
        let failure = try #require(try await errors.first(1).first)
        #expect(failure.error as? Broken == Broken(reason: "no disk"))
        guard case .effect(let id, let source) = failure.origin else {
            Issue.record("Not an effect: \(failure)")
            return
        }
        #expect(id == EffectID("load"))
        #expect(source.line == line)
        #expect(failure.description.contains("\"load\""))
    }

    @Test("The last 64 errors that happen before an observation are kept")
    func earlyErrorsAreKept() async throws {
        let issues = Collector<String>()
        let reporter = StoreIssueReporter { issues.append($0.message) }
        try await StoreIssueReporter.$scoped.withValue(reporter) {
            let store = Ledger.store()
            for number in 0..<70 {
                let task = try await store.dispatch(.start(.run { _ in throw Broken(reason: "\(number)") }))
                _ = try? await task.finish()
            }
            let reasons = try await store.errors.first(64).map { ($0.error as? Broken)?.reason }
            #expect(reasons == (6..<70).map { "\($0)" })
        }
        #expect(issues.elements.count == 6)
    }

    @Test("Errors thrown by a cancelled effect are not reported")
    func cancellationIsNoError() async throws {
        let store = Ledger.store()
        let errors = store.errors
        let began = Signal()
        let effect = Effect<Ledger.Action>.run(id: 1) { _ in
            began.fire()
            await untilCancelled()
            throw Broken(reason: "torn down")
        } catch: { _ in
            .add(1)
        }
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        task.cancel()
        try await task.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.total == 0)
        #expect(try await errors.all().isEmpty)
    }

    @Test("An interceptor that swallows an action makes dispatch throw .rejected with its name")
    func swallowing() async throws {
        let guardian = Interceptor<Ledger.State, Ledger.Action>("guardian") { action, _, next in
            if case .add(let amount) = action, amount < 0 { return }
            try next(action)
        }
        let store = Ledger.store(interceptors: [guardian])
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(-1)) }
        #expect(store.send(.add(-1)) == .accepted)
        try await store.dispatch(.add(2))
        #expect(store.snapshot.total == 2)
        #expect(store.revision == 1)
        #expect(store.statistics.rejectedActions == 2)
    }

    @Test("An interceptor that throws makes dispatch throw .rejected, and its error reaches store.errors")
    func throwingInterceptors() async throws {
        let guardian = Interceptor<Ledger.State, Ledger.Action>("guardian") { _, _, _ in throw Broken(reason: "no") }
        let store = Ledger.store(interceptors: [guardian])
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(1)) }
        let failure = try #require(try await store.errors.first(1).first)
        #expect(failure.origin == .interceptor(named: "guardian"))
        #expect(failure.error as? Broken == Broken(reason: "no"))
    }

    @Test("The description of every error says what happened and what to do")
    func descriptions() {
        let errors: [StoreError] = [.shutDown, .rejected(by: "x"), .overloaded, .notReady, .cancelled]
        for error in errors { #expect(error.description.count > 20) }
        #expect(StoreError.rejected(by: "authorise").description.contains("authorise"))
    }
}
