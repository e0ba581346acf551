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
    /// It begins when the part comes to be true, or is true at first. When the part comes to be false, what still runs
    /// is cancelled in the same turn, begun or not, and what it still sends is dropped. Otherwise it is like
    /// ``effect(on:owner:clock:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - effect: Says what to do. It is called in the store's turn.
    /// - Returns: what ends it; it can be ignored.
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

    /// Runs work while a part of the state is true; otherwise like ``effect(toggle:owner:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - work: The work, given the state at the time when the part came to be true; it keeps a copy of that.
    ///   - failure: Makes an action of an error that `work` throws. Without it errors go to ``errors``.
    /// - Returns: what ends it; it can be ignored.
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
