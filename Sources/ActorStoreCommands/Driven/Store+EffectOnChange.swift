import ActorStore

extension Store {
    /// Runs an effect whenever a part of the state has changed, but not for its initial value.
    ///
    /// ```swift
    /// store.effect(onChange: \.query) { old, query in
    ///     query.isEmpty ? .none : .run { context in context.send(.found(try await search(query))) }
    /// }
    /// ```
    ///
    /// The next change cancels the effect of the previous one, if it has not ended. To use another policy, use
    /// ``Reducer/effect(onChange:_:)``. The lifetime and the accounting of the effect are those of
    /// ``effect(on:owner:clock:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part. Its last value is retained, so an action that changes it copies it if it is a collection.
    ///   - owner: An object whose release ends the effect. It is not retained.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - effect: Returns the effect for the values before and after. It runs within the store's turn, and must not
    ///     block.
    /// - Returns: A token that ends the effect when it is cancelled. It can be ignored.
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

    /// Runs work whenever a part of the state has changed, but not for its initial value.
    ///
    /// This is a shorter form of ``effect(onChange:owner:fileID:line:_:)``: the next change cancels the work of the
    /// previous one.
    ///
    /// - Parameters:
    ///   - keyPath: The part. Its last value is retained, so an action that changes it copies it if it is a collection.
    ///   - owner: An object whose release ends the effect. It is not retained.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - work: The work. It receives the values before and after.
    ///   - failure: Maps an error that `work` throws to an action. Without this closure, errors reach ``errors``.
    /// - Returns: A token that ends the effect when it is cancelled. It can be ignored.
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

/// A change that equals only itself, whatever its values.
@usableFromInline
struct NumberedChange<Value: Sendable>: Equatable, Sendable {
    let number: UInt64
    @usableFromInline let old: Value
    @usableFromInline let new: Value

    @usableFromInline
    static func == (left: NumberedChange, right: NumberedChange) -> Bool { left.number == right.number }

    /// Whether the part still has the new value. Values that are not equal to themselves, such as `.nan`, cannot be
    /// distinguished, and count as the same.
    @usableFromInline
    func leads(to value: Value) -> Bool where Value: Equatable { value == new || (value != value && new != new) }
}

/// Numbers the changes between successive values.
@usableFromInline
final class ChangeCounter<Value: Sendable>: @unchecked Sendable {
    // Sound: it belongs to one observer, which runs within the store's turn.
    private var number: UInt64 = 0
    private let last: LastValue<Value>

    @usableFromInline
    init(_ host: EffectDriverHost<some Sendable, some Sendable>) { last = host.lastValue() }

    /// Returns the change from the previous value, or nil for the first value.
    @usableFromInline
    func next(_ value: Value) -> NumberedChange<Value>? {
        number += 1
        return last.replace(by: value).map { NumberedChange(number: number, old: $0, new: value) }
    }
}
