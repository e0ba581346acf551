import ActorStore

extension Store {
    /// Runs an effect whenever a part of the state has changed; not for the value that it has at first.
    ///
    /// ```swift
    /// store.effect(onChange: \.query) { old, query in
    ///     query.isEmpty ? .none : .run { context in context.send(.found(try await search(query))) }
    /// }
    /// ```
    ///
    /// The next change cancels what the one before has begun, and has not ended. For a policy of one's own there is
    /// ``Reducer/effect(onChange:_:)``; otherwise it is like ``effect(on:owner:clock:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part. Its last value is kept, so that an action that changes it copies it if it is a
    ///     collection.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - effect: Says what to do, given the values before and after. It is called in the store's turn.
    /// - Returns: what ends it; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect<Value: Equatable & Sendable>(
        onChange keyPath: KeyPath<State, Value> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ effect: @escaping @Sendable (_ old: Value, _ new: Value) -> DrivenEffect<State, Action>
    ) -> StoreObservation {
        let source = CodeLocation(fileID: fileID, line: line)
        let host = reference.driverHost
        let driver: EffectDriver<State, Action, OnlyKey, NumberedChange<Value>> =
            host.makeDriver(owner, at: source) { _, change, state in
                change.leads(to: state[keyPath: keyPath])
            } ask: { _, change, _ in
                effect(change.old, change.new)
            }
        let changes = ChangeCounter<Value>(host)
        return host.drive(by: .part(keyPath), driver) { value in
            driver.follow(changes.next(value), for: OnlyKey())
        }
    }

    /// Runs work whenever a part of the state has changed; otherwise like ``effect(onChange:owner:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - work: The work, given the values before and after.
    ///   - failure: Makes an action of an error that `work` throws. Without it errors go to ``errors``.
    /// - Returns: what ends it; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect<Value: Equatable & Sendable>(
        onChange keyPath: KeyPath<State, Value> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ work: @escaping @Sendable (Value, Value, SideEffectContext<State, Action>) async throws -> Void,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> StoreObservation {
        effect(onChange: keyPath, owner: owner, fileID: fileID, line: line) { old, new in
            .run(fileID: fileID, line: line, { context in try await work(old, new, context) }, catch: failure)
        }
    }
}

/// A change, which is the same as itself only, whatever it has changed.
@usableFromInline
struct NumberedChange<Value: Sendable>: Equatable, Sendable {
    let number: UInt64
    @usableFromInline let old: Value
    @usableFromInline let new: Value

    @usableFromInline
    static func == (left: NumberedChange, right: NumberedChange) -> Bool { left.number == right.number }

    /// Whether the part still has the new value. A value that is not equal to itself, such as `.nan`, cannot be told
    /// from others of that kind, and counts as the same.
    @usableFromInline
    func leads(to value: Value) -> Bool where Value: Equatable { value == new || (value != value && new != new) }
}

/// Makes changes of values that come one after the other.
@usableFromInline
final class ChangeCounter<Value: Sendable>: @unchecked Sendable {
    // Sound: it belongs to one observer, which is called in the store's turn.
    private var number: UInt64 = 0
    private let last: LastValue<Value>

    @usableFromInline
    init(_ host: EffectDriverHost<some Sendable, some Sendable>) { last = host.lastValue() }

    /// nil for the first value.
    @usableFromInline
    func next(_ value: Value) -> NumberedChange<Value>? {
        number += 1
        return last.replace(by: value).map { NumberedChange(number: number, old: $0, new: value) }
    }
}
