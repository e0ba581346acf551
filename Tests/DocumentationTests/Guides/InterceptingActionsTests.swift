import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreInstruments
import Testing

@testable import TestFixtures

private struct Audit: Sendable {
    let lines = Collector<String>()

    func record(_ line: String) async { lines.append(line) }
}

private enum AuditKey: DependencyKey {
    static let liveValue = Audit()
    static let testValue = Audit()
}

extension DependencyValues {
    fileprivate var audit: Audit {
        get { self[AuditKey.self] }
        set { self[AuditKey.self] = newValue }
    }
}

/// The listings of the article "Intercepting actions".
@Suite("The article about interceptors", .timeLimit(.minutes(10)))
struct InterceptingActionsTests {
    struct Shop: Reducer {
        struct State: Sendable {
            var clerkIsManager = false
            var refunds: [Int] = []
        }
        enum Action: Sendable { case refund(Int), promote }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .refund(let order): state.refunds.append(order)
            case .promote: state.clerkIsManager = true
            }
            return .none
        }
    }

    struct Permissions: Sendable {
        func mayRefund(_ order: Int) async throws -> Bool { order < 10 }
    }

    struct Count: SideEffect {
        struct Failed: Error {}

        let fails: Bool

        func run(_ context: SideEffectContext<Shop.State, Shop.Action>) async throws -> Int {
            if fails { throw Failed() }
            return await context.state.refunds.count
        }
    }

    @Test("An interceptor stops an action, depending on the state")
    func authorising() async throws {
        let authorise = Interceptor<Shop.State, Shop.Action>("authorise") { action, context, next in
            if case .refund = action, !context.state.clerkIsManager { return }  // Swallowed.
            try next(action)
        }
        let store = Store(initialState: Shop.State(), reducer: Shop(), interceptors: [.logger(), authorise])
        await #expect(throws: StoreError.rejected(by: "authorise")) { try await store.dispatch(.refund(1)) }
        try await store.dispatch(.promote)
        try await store.dispatch(.refund(2))
        #expect(store.snapshot.refunds == [2])
    }

    @Test("A child has interceptors of its own")
    func child() async throws {
        struct Feature: Reducer {
            typealias State = Bool
            enum Action: Sendable { case opened }
            func reduce(into state: inout Bool, action: Action) -> Effect<Action> {
                state = true
                return .none
            }
        }
        enum AppAction: Sendable { case feature(Feature.Action) }
        let root = Store(initialState: 0) { (_: inout Int, _: AppAction) in }
        let feature = root.child(initialState: Feature.State(), reducer: Feature()) { AppAction.feature($0) }
        feature.use(.logger())  // [info] child #7: opened
        try await feature.dispatch(.opened)
        #expect(feature.snapshot.local)
    }

    @Test("An asynchronous interceptor asks before an action is accepted")
    func asking() async throws {
        let permissions = Permissions()
        let store = Store(initialState: Shop.State(), reducer: Shop())
        // swift-format-ignore
        store.use(AsyncInterceptor("authorise") { action, _ in
            guard case .refund(let order) = action else { return action }
            return try await permissions.mayRefund(order) ? action : nil
        })
        try await store.dispatch(.refund(1))
        await #expect(throws: StoreError.rejected(by: "authorise")) { try await store.dispatch(.refund(10)) }
        #expect(store.snapshot.refunds == [1])
    }

    @Test("An interceptor of side effects records each of them, and their errors")
    func auditing() async throws {
        let audit = Audit()
        let store = withDependencies {
            $0.audit = audit
        } operation: {
            Store(initialState: Shop.State(), reducer: Shop())
        }
        // swift-format-ignore
        store.use(SideEffectInterceptor("audit") { sideEffect, context, next in
            do {
                try await next()
                await context.dependencies.audit.record("\(type(of: sideEffect))")
            } catch {
                await context.dependencies.audit.record("\(type(of: sideEffect)): \(error)")
                throw error
            }
        })
        #expect(try await store.dispatch(Count(fails: false)) == 0)
        await #expect(throws: Count.Failed.self) { try await store.dispatch(Count(fails: true)) }
        #expect(audit.lines.elements == ["Count", "Count: Failed()"])
    }
}
