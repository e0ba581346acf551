// Generated; do not edit. To renew it:
// swift package --allow-writing-to-package-directory generate-case-paths --target CasePathToolTests
// swift-format-ignore-file

import Foundation
public import ActorStore

extension CasePath where Root == ErrandAction, Value == any Error {
    /// The case `failed` of `ErrandAction`.
    nonisolated static var failed: Self {
        Self(
            embed: { .failed($0) },
            extract: { if case .failed(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == ErrandAction, Value == (@Sendable (Int) -> Int) {
    /// The case `run` of `ErrandAction`.
    nonisolated static var run: Self {
        Self(
            embed: { .run($0) },
            extract: { if case .run(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == ErrandAction, Value == [String : [Result<Int, any Error>]] {
    /// The case `table` of `ErrandAction`.
    nonisolated static var table: Self {
        Self(
            embed: { .table($0) },
            extract: { if case .table(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == StopAction, Value == Void {
    /// The case `arrived` of `StopAction`.
    public nonisolated static var arrived: Self {
        Self(
            embed: { .arrived },
            extract: { if case .arrived = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == StopAction, Value == Void {
    /// The case `left` of `StopAction`.
    public nonisolated static var left: Self {
        Self(
            embed: { .left },
            extract: { if case .left = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == Date {
    /// The case `default` of `Tour.Action`.
    public nonisolated static var `default`: Self {
        Self(
            embed: { .`default`($0) },
            extract: { if case .`default`(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == Tour.GuideAction {
    /// The case `guide` of `Tour.Action`.
    public nonisolated static var guide: Self {
        Self(
            embed: { .guide($0) },
            extract: { if case .guide(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == Int {
    /// The case `init` of `Tour.Action`.
    public nonisolated static var `init`: Self {
        Self(
            embed: { .`init`($0) },
            extract: { if case .`init`(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == (Int, unit: String) {
    /// The case `limit` of `Tour.Action`.
    public nonisolated static var limit: Self {
        Self(
            embed: { .limit($0.0, unit: $0.1) },
            extract: { if case .limit(let value0, unit: let value1) = $0 { (value0, value1) } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == Int? {
    /// The case `maybe` of `Tour.Action`.
    public nonisolated static var maybe: Self {
        Self(
            embed: { .maybe($0) },
            extract: { if case .maybe(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == (x: Int, y: Int) {
    /// The case `moved` of `Tour.Action`.
    public nonisolated static var moved: Self {
        Self(
            embed: { .moved(x: $0.0, y: $0.1) },
            extract: { if case .moved(x: let value0, y: let value1) = $0 { (value0, value1) } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == Tour.Action {
    /// The case `nested` of `Tour.Action`.
    public nonisolated static var nested: Self {
        Self(
            embed: { .nested($0) },
            extract: { if case .nested(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == (Int, String?) {
    /// The case `pair` of `Tour.Action`.
    public nonisolated static var pair: Self {
        Self(
            embed: { .pair($0.0, $0.1) },
            extract: { if case .pair(let value0, let value1) = $0 { (value0, value1) } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == String {
    /// The case `renamed` of `Tour.Action`.
    public nonisolated static var renamed: Self {
        Self(
            embed: { .renamed(to: $0) },
            extract: { if case .renamed(to: let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == Void {
    /// The case `reset` of `Tour.Action`.
    public nonisolated static var reset: Self {
        Self(
            embed: { .reset },
            extract: { if case .reset = $0 { () } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.Action, Value == (id: Int, action: StopAction) {
    /// The case `stop` of `Tour.Action`.
    public nonisolated static var stop: Self {
        Self(
            embed: { .stop(id: $0.0, action: $0.1) },
            extract: { if case .stop(id: let value0, action: let value1) = $0 { (value0, value1) } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.GuideAction, Value == Duration {
    /// The case `pause` of `Tour.GuideAction`.
    public nonisolated static var pause: Self {
        Self(
            embed: { .pause($0) },
            extract: { if case .pause(let value) = $0 { value } else { nil } }
        )
    }
}

extension CasePath where Root == Tour.GuideAction, Value == Void {
    /// The case `speak` of `Tour.GuideAction`.
    public nonisolated static var speak: Self {
        Self(
            embed: { .speak },
            extract: { if case .speak = $0 { () } else { nil } }
        )
    }
}
