import ActorStore

extension Store {
    /// Runs an effect while a part of the state is true.
    ///
    /// ```swift
    /// store.effect(toggle: \.isLive) { state in
    ///     .run { context in
    ///         for try await price in market.prices() { context.send(.priceChanged(price)) }
    ///     }
    /// }
    /// ```
    ///
    /// The effect starts when the part becomes true, or immediately if it is true already. When the part becomes false,
    /// the effect is cancelled in the same turn, whether it has begun or not, and actions that it still sends are
    /// dropped. The lifetime and the accounting of the effect are those of ``effect(on:owner:clock:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - owner: An object whose release ends the effect. It is not retained.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - effect: Returns the effect. It runs within the store's turn, and must not block.
    /// - Returns: A token that ends the effect when it is cancelled. It can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect(
        toggle keyPath: KeyPath<State, Bool> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ effect: @escaping @Sendable (_ state: State) -> DrivenEffect<State, Action>
    ) -> StoreObservation {
        let source = CodeLocation(fileID: fileID, line: line)
        let host = reference.driverHost
        let driver: EffectDriver<State, Action, OnlyKey, Bool> =
            host.makeDriver(owner, at: source) { _, _, state in
                state[keyPath: keyPath]
            } ask: { _, _, state in
                effect(state)
            }
        return host.drive(by: .part(keyPath), driver) { isOn in
            driver.follow(isOn ? true : nil, for: OnlyKey())
        }
    }

    /// Runs work while a part of the state is true.
    ///
    /// This is a shorter form of ``effect(toggle:owner:fileID:line:_:)`` for work that needs only the state and the
    /// store.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - owner: An object whose release ends the effect. It is not retained.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - work: The work. It receives the state at the time when the part became true, and retains that copy.
    ///   - failure: Maps an error that `work` throws to an action. Without this closure, errors reach ``errors``.
    /// - Returns: A token that ends the effect when it is cancelled. It can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect(
        toggle keyPath: KeyPath<State, Bool> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ work: @escaping @Sendable (State, SideEffectContext<State, Action>) async throws -> Void,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> StoreObservation {
        effect(toggle: keyPath, owner: owner, fileID: fileID, line: line) { state in
            .run(fileID: fileID, line: line, { context in try await work(state, context) }, catch: failure)
        }
    }
}
