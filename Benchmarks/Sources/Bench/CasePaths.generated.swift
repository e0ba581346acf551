// Generated; do not edit. To renew it:
// swift package --allow-writing-to-package-directory generate-case-paths --target Bench --enum MallAction --enum ShopAction --enum KioskAction --enum BoothAction --enum MarketAction --enum Entry
// swift-format-ignore-file

import ActorStore
import ActorStoreComposition
import Benchmarking
import TreeCollections

extension CasePath where Root == BoothAction, Value == StackAction<Till, TillAction> {
    /// The case `stack` of `BoothAction`.
    nonisolated static var stack: Self {
        Self(
            embed: { .stack($0) },
            extract: { if case .stack(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == BoothAction, Value == PresentationAction<TillAction> {
    /// The case `till` of `BoothAction`.
    nonisolated static var till: Self {
        Self(
            embed: { .till($0) },
            extract: { if case .till(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == BoothAction, Value == Void {
    /// The case `visit` of `BoothAction`.
    nonisolated static var visit: Self {
        Self(
            embed: { .visit },
            extract: { if case .visit = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == Entry, Value == Void {
    /// The case `nothing` of `Entry`.
    nonisolated static var nothing: Self {
        Self(
            embed: { .nothing },
            extract: { if case .nothing = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == Entry, Value == Int {
    /// The case `number` of `Entry`.
    nonisolated static var number: Self {
        Self(
            embed: { .number($0) },
            extract: { if case .number(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Entry, Value == Int {
    /// The case `other` of `Entry`.
    nonisolated static var other: Self {
        Self(
            embed: { .other($0) },
            extract: { if case .other(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Entry, Value == String {
    /// The case `text` of `Entry`.
    nonisolated static var text: Self {
        Self(
            embed: { .text($0) },
            extract: { if case .text(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == KioskAction, Value == TillAction {
    /// The case `till` of `KioskAction`.
    nonisolated static var till: Self {
        Self(
            embed: { .till($0) },
            extract: { if case .till(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == KioskAction, Value == Void {
    /// The case `visit` of `KioskAction`.
    nonisolated static var visit: Self {
        Self(
            embed: { .visit },
            extract: { if case .visit = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == MallAction, Value == ShopAction {
    /// The case `shop` of `MallAction`.
    nonisolated static var shop: Self {
        Self(
            embed: { .shop($0) },
            extract: { if case .shop(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == MallAction, Value == Void {
    /// The case `visit` of `MallAction`.
    nonisolated static var visit: Self {
        Self(
            embed: { .visit },
            extract: { if case .visit = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == MarketAction, Value == (id: Int, action: TillAction) {
    /// The case `till` of `MarketAction`.
    nonisolated static var till: Self {
        Self(
            embed: { .till(id: $0.0, action: $0.1) },
            extract: { if case .till(id: let value0, action: let value1) = $0 { (value0, value1) } else { nil } }
        )
    }
}

extension CasePath where Root == MarketAction, Value == Void {
    /// The case `visit` of `MarketAction`.
    nonisolated static var visit: Self {
        Self(
            embed: { .visit },
            extract: { if case .visit = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == ShopAction, Value == Void {
    /// The case `enter` of `ShopAction`.
    nonisolated static var enter: Self {
        Self(
            embed: { .enter },
            extract: { if case .enter = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == ShopAction, Value == TillAction {
    /// The case `till` of `ShopAction`.
    nonisolated static var till: Self {
        Self(
            embed: { .till($0) },
            extract: { if case .till(let value) = $0 { value } else { nil } }
        )
    }
}
