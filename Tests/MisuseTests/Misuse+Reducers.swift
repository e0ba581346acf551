import ActorStore
import ActorStoreComposition

extension Misuse {
    static let ofReducers: [Misuse] = [
        Misuse("The body of a reducer without one is read", "body was read, but the reducer has no body") {
            _ = Plain().body
        },
        Misuse("A reducer is attached to a read-only scope", "whose state is read-only") {
            let store = Store(initialState: 0) { (_: inout Int, _: Int) in }
            store.scope(\.description).attach(reducer: Reduce<String, Int> { _, _ in .none }, forKey: 1)
        },
        Misuse("A reducer is attached to a durable store", "whose actions are kept") {
            var keeping = Interceptor<Int, Int>("log") { action, _, next in try next(action) }
            keeping.keepsActions = true
            let store = Store(initialState: 0, reducer: Plain(), interceptors: [keeping])
            store.attach(reducer: Plain(), forKey: 1)
        },
        Misuse("A reducer is attached to a scope of an optional part", "or exists only with an optional") {
            let store = Store(initialState: Int?.some(0)) { (_: inout Int?, _: Int) in }
            store.scopeIfLet(state: \.self, action: { $0 }).store?.attach(reducer: Plain(), forKey: 1)
        },
        Misuse("A reducer is attached to a scope of an entry", "or exists only with an optional") {
            let store = Store(initialState: [0]) { (_: inout [Int], _: Int) in }
            let scopes = store.scopes(forEach: \.self) { (_: Int, action: Int) in action }
            scopes[0]?.attach(reducer: Plain(), forKey: 1)
        },
        Misuse(
            "A reducer is attached to a scope whose actions cannot be found",
            "whose actions cannot be found. Reflection"
        ) {
            let store = Store(initialState: 0) { (_: inout Int, _: Mirrored) in }
            store.scope(state: \.self, action: { Mirrored.one($0) }).attach(reducer: Plain(), forKey: 1)
        },
        Misuse("A reducer is attached to the own state of a root", "which is not a child") {
            let store = Store(initialState: 0) { (_: inout Int, _: Int) in }
            let child = store.child(initialState: 0, reducer: EmptyReducer())
            child.scope(\.self).attach(reducer: Plain(), local: \.self, forKey: 1)
        },
        Misuse("A path is made from a case with a mirror of its own", "Reflection cannot find the cases of Mirrored") {
            _ = CasePath(Mirrored.one)
        },
        Misuse("A path is made from a case whose value is a function", "Reflection cannot extract a function") {
            _ = CasePath(Work.now)
        },
        Misuse("A path is made from a case with a function in its value", "Reflection cannot extract a function") {
            _ = CasePath(Work.later)
        },
        Misuse("A path is made from a mirrored case without values", "Reflection cannot find the cases of Mirrored") {
            _ = CasePath(case: Mirrored.none)
        },
        Misuse("A path is made from a described case without values", "Reflection cannot find the cases of Described") {
            _ = CasePath(case: Described.none)
        },
        Misuse(
            "A path is made from the root of a case with values",
            "got a value of Work that is not a case without values"
        ) {
            _ = CasePath(case: Work.now { 1 })
        },
        Misuse(
            "A path is made from a root that is not an enum",
            "got a value of Plain that is not a case without values"
        ) {
            _ = CasePath(case: Plain())
        },
        Misuse("A path is made from nil", "cannot tell the cases of Optional<Work>, an optional whose values are not") {
            _ = CasePath(case: Work?.none)
        },
        Misuse("An element of an array changes its identity", "changed its identity from 1 to 2 while its action was") {
            var elements = [Element(id: 1)]
            _ = elements.modifyEntry(1) { $0.id = 2 }
        },
    ]
}

private struct Plain: Reducer {
    func reduce(into state: inout Int, action: Int) -> Effect<Int> { .none }
}

private enum Mirrored: CustomReflectable, Sendable {
    case one(Int)
    case none
    var customMirror: Mirror { Mirror(self, children: ["two": 2], displayStyle: .enum) }
}

private enum Described: CustomStringConvertible, Sendable {
    case one(Int)
    case none
    var description: String { "Nothing" }
}

private enum Work: Sendable {
    case now(@Sendable () -> Int)
    case later(Int, @Sendable () -> Int)
}

private struct Element: Identifiable { var id: Int }
