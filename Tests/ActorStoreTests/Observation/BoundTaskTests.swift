import ActorStore
import Testing

@testable import TestFixtures

@Suite("Object-bound asynchronous observers", .timeLimit(.minutes(10)))
struct BoundTaskTests {
    private final class Owner: Sendable {}

    enum Kind: CaseIterable, Sendable { case values, actions }

    @Test(
        "Object-bound asynchronous observers are not called after the object's release, and end with the next element",
        arguments: Kind.allCases
    )
    func owner(kind: Kind) async throws {
        let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let told = Collector<Int>()
        var owner: Owner? = Owner()
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let body: @Sendable (Int) async -> Void = { value in withExtendedLifetime(token) { told.append(value) } }
            switch kind {
            case .values: store.values(of: \.self, buffering: .unbounded).observe(body).bound(to: owner!)
            case .actions: store.actions.observe { action, _ in await body(action) }.bound(to: owner!)
            }
        }
        try await store.dispatch(1)
        await until { told.elements.last == 1 }
        owner = nil
        try await store.dispatch(1)
        await until { weakToken == nil }
        #expect(told.elements.last == 1)
        #expect(store.statistics.observers == 0)
    }
}
