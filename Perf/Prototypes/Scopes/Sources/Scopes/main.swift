import Ways

enum AppAction { case user(UserAction), other }
enum UserAction { case cart(CartAction), other }
enum CartAction { case item(ItemAction), other }
enum ItemAction { case add(Int), other }

@inline(never)
func makeRoot() -> Root<Int, AppAction> {
    Root(0) { total, action in if case .user(.cart(.item(.add(let count)))) = action { total &+= count } }
}

// Not inlined: in a store a path is created far from its use.

@inline(never)
func closures(_ root: Root<Int, AppAction>) -> ActionSink<ItemAction> {
    ActionSink(root).scope { AppAction.user($0) }.scope { UserAction.cart($0) }.scope { CartAction.item($0) }
}

@inline(never)
func classes(_ root: Root<Int, AppAction>) -> SinkNode<ItemAction> {
    let user = ScopeSink(RootSink(root)) { AppAction.user($0) }
    let cart = ScopeSink(user) { UserAction.cart($0) }
    return ScopeSink(cart) { CartAction.item($0) }
}

@inline(never)
func values(_ root: Root<Int, AppAction>) -> any Sink<ItemAction> {
    let user: any Sink<UserAction> = ScopeWay(RootWay(root)) { AppAction.user($0) }
    let cart: any Sink<CartAction> = ScopeWay(user) { UserAction.cart($0) }
    return ScopeWay(cart) { CartAction.item($0) }
}

/// Prints the picoseconds of a send, the minimum of ten alternating runs.
func compare(_ ways: [(name: String, send: (Int) -> Void)]) {
    let sends = 2_000_000
    var least = ways.map { _ in Int64.max }
    for _ in 0..<10 {
        for (index, way) in ways.enumerated() {
            let time = ContinuousClock().measure { way.send(sends) } / sends
            least[index] = min(least[index], time.components.attoseconds / 1_000_000)
        }
    }
    for (way, time) in zip(ways, least) { print("\(way.name): \(time) ps") }
}

let root = makeRoot()
let (sink, node, value) = (closures(root), classes(root), values(root))
compare([
    ("without scopes", { count in for _ in 0..<count { root.send(.user(.cart(.item(.add(1))))) } }),
    ("three scopes, closures", { count in for _ in 0..<count { sink.send(.add(1)) } }),
    ("three scopes, classes", { count in for _ in 0..<count { node.send(.add(1)) } }),
    ("three scopes, a protocol", { count in for _ in 0..<count { value.send(.add(1)) } }),
])
print("reduced: \(root.current)")
