import ActorStore
import TreeCollections

/// A state three levels deep: a mall, its shop, the shop's till.
struct Mall: Sendable {
    var shop = Shop()
    var visitors = 0
}

struct Shop: Sendable {
    var till = Till()
    var customers = 0
}

struct Till: Sendable, Identifiable {
    var id = 0
    var amount = 0
    var name = "till"
}

enum MallAction: Sendable {
    case shop(ShopAction)
    case visit
}

enum ShopAction: Sendable {
    case till(TillAction)
    case enter
}

enum TillAction: Sendable {
    case add(Int)
    case clear
}

/// The reducers of the levels, composed.
struct MallReducer: Reducer {
    var body: some Reducer<Mall, MallAction> {
        Scope(state: \.shop, action: .shop) { ShopReducer() }
        Reduce { mall, action in
            if case .visit = action { mall.visitors &+= 1 }
            return .none
        }
    }
}

struct ShopReducer: Reducer {
    /// Dependencies make a reducer's closures capture it.
    var discount = 0

    var body: some Reducer<Shop, ShopAction> {
        Scope(state: \.till, action: .till) { TillReducer() }
        Reduce { shop, action in
            if case .enter = action { shop.customers &+= 1 + discount }
            return .none
        }
    }
}

struct TillReducer: Reducer {
    func reduce(into till: inout Till, action: TillAction) -> Effect<TillAction> {
        switch action {
        case .add(let amount): till.amount &+= amount
        case .clear: till.amount = 0
        }
        return .none
    }
}

/// The handwritten reducer of all levels.
struct SwitchingMallReducer: Reducer {
    func reduce(into mall: inout Mall, action: MallAction) -> Effect<MallAction> {
        switch action {
        case .visit:
            mall.visitors &+= 1
        case .shop(.enter):
            mall.shop.customers &+= 1
        case .shop(.till(.add(let amount))):
            mall.shop.till.amount &+= amount
        case .shop(.till(.clear)):
            mall.shop.till.amount = 0
        }
        return .none
    }
}
