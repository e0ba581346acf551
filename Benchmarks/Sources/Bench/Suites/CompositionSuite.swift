import ActorStore
import ActorStoreComposition
import Benchmarking
import TreeCollections

/// The cost of composing reducers, beside handwritten switch statements, on a local variable; and the cost of a case
/// path.
let compositionSuite = Suite(
    "composition",
    [
        local("composed, 3 levels", Mall(), MallReducer().prepared(), comparedWith: ["B0 nested switches"]) {
            .shop(.till(.add($0)))
        },
        local("B0 nested switches", Mall(), SwitchingMallReducer()) { .shop(.till(.add($0))) },
    ]
        + [
            Benchmark("send, composed, 3 levels", comparedWith: ["send, nested switches"]) {
                Store(initialState: Mall(), reducer: MallReducer())
            } measure: { store, count in
                for number in 0..<count {
                    store.send(.shop(.till(.add(number))))
                    barrier()
                }
            },
            Benchmark("send, nested switches") {
                Store(initialState: Mall(), reducer: SwitchingMallReducer())
            } measure: { store, count in
                for number in 0..<count {
                    store.send(.shop(.till(.add(number))))
                    barrier()
                }
            },
        ]
        + optionalBenchmarks + presentationBenchmarks + tableBenchmarks + casePathBenchmarks
)

/// A reducer in a loop on a local variable.
private func local<R: Reducer & Sendable>(
    _ name: String,
    _ state: R.State,
    _ reducer: R,
    comparedWith baselines: [String] = [],
    configuration: Configuration = Configuration(),
    action: @escaping @Sendable (Int) -> R.Action
) -> Benchmark where R.State: Sendable {
    Benchmark(name, comparedWith: baselines, configuration: configuration) {
        LocalVariable(state, reducer)
    } measure: { variable, count in
        variable.run(count, action)
    }
}

private struct Kiosk: Sendable {
    var till: Till? = Till()
    var visitors = 0
}

enum KioskAction: Sendable { case till(TillAction), visit }

private struct KioskReducer: Reducer {
    var body: some Reducer<Kiosk, KioskAction> {
        Reduce { kiosk, action in
            if case .visit = action { kiosk.visitors &+= 1 }
            return .none
        }
        .ifLet(\.till, action: .till) { TillReducer() }
    }
}

private let optionalBenchmarks = [
    local("ifLet, an action of the child", Kiosk(), KioskReducer().prepared()) { .till(.add($0)) },
    local("ifLet, an action of the parent", Kiosk(), KioskReducer().prepared()) { _ in .visit },
]

private struct Booth: Sendable {
    @Presented var till: Till? = Till()
    var stack: StackState = [Till(), Till(), Till()]
    var visitors = 0
}

enum BoothAction: Sendable {
    case till(PresentationAction<TillAction>)
    case stack(StackAction<Till, TillAction>)
    case visit
}

private let boothVisits = Reduce<Booth, BoothAction> { booth, action in
    if case .visit = action { booth.visitors &+= 1 }
}

private let presenting = boothVisits.ifPresented(\.$till, action: .till) { TillReducer() }
private let stacking = boothVisits.forEach(\.stack, action: .stack) { TillReducer() }
private let firstOfStack = StackElementID(number: 0)

private let presentationBenchmarks = [
    local("ifPresented, an action of the child", Booth(), presenting) { .till(.presented(.add($0))) },
    local("ifPresented, an action of the parent", Booth(), presenting) { _ in .visit },
    local("forEach, an action of one of three in a stack", Booth(), stacking) {
        .stack(.element(id: firstOfStack, action: .add($0)))
    },
    local("forEach, an action of the parent of a stack", Booth(), stacking) { _ in .visit },
]

enum MarketAction: Sendable { case till(id: Int, action: TillAction), visit }

private let visits = Reduce<Market, MarketAction> { market, action in
    if case .visit = action { market.visitors &+= 1 }
    return .none
}

private let ids = 0..<1_000

private struct Market: Sendable {
    var tree = TreeDictionary(uniqueKeysWithValues: ids.map { ($0, Till(id: $0)) })
    var dictionary = Dictionary(uniqueKeysWithValues: ids.map { ($0, Till(id: $0)) })
    var keyed = KeyedArray(ids.map { Till(id: $0) })
    var array = ids.map { Till(id: $0) }
    var visitors = 0
}

private let tableBenchmarks =
    table("a TreeDictionary", visits.forEach(\.tree, action: .till) { TillReducer() })
    + table("a Dictionary", visits.forEach(\.dictionary, action: .till) { TillReducer() })
    + table("a KeyedArray", visits.forEach(\.keyed, action: .till) { TillReducer() })
    + table("an Array", visits.forEach(\.array, action: .till) { TillReducer() })

private func table(_ name: String, _ reducer: PreparedReducer<Market, MarketAction>) -> [Benchmark] {
    [
        local(
            "forEach, an action of each of 1,000 in \(name)",
            Market(),
            reducer,
            configuration: Configuration(multiple: 1_000)
        ) {
            .till(id: $0 &* 489 % 1_000, action: .add($0))
        },
        local("forEach, an action of the parent of 1,000 in \(name)", Market(), reducer) { _ in .visit },
    ]
}

enum Entry: Sendable { case number(Int), other(Int), text(String), nothing }

private let bothWays = CasePath(embed: Entry.number) { if case .number(let number) = $0 { number } else { nil } }
/// The member generated by the plug-in.
private let generated: CasePath<Entry, Int> = .number
private let reflecting = CasePath(Entry.number)

private let casePathBenchmarks = [
    casePath("case path with both ways, its case", bothWays, .number(7)),
    casePath("case path with both ways, another case", bothWays, .text("seven")),
    casePath("case path, generated, its case", generated, .number(7)),
    casePath("case path, generated, another case", generated, .text("seven")),
    casePath("case path by reflection, its case", reflecting, .number(7)),
    casePath("case path by reflection, another case with a value of the type", reflecting, .other(7)),
    casePath("case path by reflection, another case with a value", reflecting, .text("seven")),
    casePath("case path by reflection, a case without values", reflecting, .nothing),
]

private func casePath(_ name: String, _ path: CasePath<Entry, Int>, _ entry: Entry) -> Benchmark {
    Benchmark(name) {
        (path, entry)
    } measure: { fixture, count in
        for _ in 0..<count {
            blackHole(fixture.0.extract(from: fixture.1))
            barrier()
        }
    }
}
