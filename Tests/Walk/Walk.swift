import ActorStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs actions through the core, for `.ci/walk`, which counts the functions on their path: `Walk NAME COUNT`.
@main
enum Walk {
    struct State: Sendable, Equatable { var count = 0 }

    struct Part: Sendable, Equatable { var count = 0 }

    enum Action: Sendable {
        case add
        case addAndWait
        case addAndRun
    }

    struct Counter: Reducer {
        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            state.count += 1
            return switch action {
            case .add: .none
            case .addAndWait: .run { _ in try await Task.sleep(for: .seconds(3_600)) }
            case .addAndRun: .run { _ in }
            }
        }
    }

    struct PartCounter: Reducer {
        func reduce(into state: inout Part, action: Action) -> Effect<Action> {
            state.count += 1
            return .none
        }
    }

    static func main() {
        let (walk, count) = (CommandLine.arguments[1], Int(CommandLine.arguments[2]) ?? 0)
        // Not as the main task, and ended at once: the counting tool does not survive the end of a main thread that
        // runs the dispatch library.
        Task.detached {
            try await run(walk, count)
        }
        while true { sleep(60) }
    }

    static func run(_ walk: String, _ count: Int) async throws {
        let store = Store(initialState: State(), reducer: Counter())
        switch walk {
        case "send":
            for _ in 0..<count { store.send(.add) }
        case "dispatch":
            let observation = store.observe(\.count) { _ in }
            for _ in 0..<count { try await store.dispatch(.addAndWait) }
            withExtendedLifetime(observation) {}
        case "effect":
            for _ in 0..<count { try await store.dispatch(.addAndRun).finish() }
        case "grandchild":
            let grandchild = store.child(initialState: Part(), reducer: PartCounter())
                .child(initialState: Part(), reducer: PartCounter())
            for _ in 0..<count { try await grandchild.dispatch(.add) }
        default:
            fatalError("There is no walk \(walk).")
        }
        // Its end is not on the path.
        withExtendedLifetime(store) { _exit(0) }
    }
}
