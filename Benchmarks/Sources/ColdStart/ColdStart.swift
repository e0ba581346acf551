import ActorStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Does one thing for the first time in its process, and then a second time, and prints the nanoseconds of each.
///
///     ColdStart nothing | store | observe | dispatch
@main
struct ColdStart {
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let subject = Subject(rawValue: name) else {
            print("usage: ColdStart \(Subject.allCases.map(\.rawValue).joined(separator: " | "))")
            exit(2)
        }
        let (first, second) = try await subject.measure()
        print(first, second)
    }
}

private enum Subject: String, CaseIterable {
    case nothing, store, observe, dispatch

    func measure() async throws -> (first: Int, second: Int) {
        switch self {
        case .nothing:
            return (0, 0)
        case .store:
            let start = now()
            let first = makeStore()
            let middle = now()
            let second = makeStore()
            let end = now()
            withExtendedLifetime((first, second)) {}
            return (middle - start, end - middle)
        case .observe:
            let store = makeStore()
            let start = now()
            let first = store.observe(\.count) { _ in }
            let middle = now()
            let second = store.observe(\.name) { _ in }
            let end = now()
            withExtendedLifetime((first, second)) {}
            return (middle - start, end - middle)
        case .dispatch:
            let store = makeStore()
            let start = now()
            try await store.dispatch(.increment)
            let middle = now()
            try await store.dispatch(.increment)
            let end = now()
            return (middle - start, end - middle)
        }
    }
}

private struct Counter: Reducer {
    struct State: Equatable, Sendable {
        var count = 0
        var name = "counter"
    }

    enum Action: Sendable { case increment }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        state.count += 1
        return .none
    }
}

private func makeStore() -> Store<Counter.State, Counter.Action> {
    Store(initialState: Counter.State(), reducer: Counter())
}

/// Nanoseconds since some moment in the past.
private func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}
