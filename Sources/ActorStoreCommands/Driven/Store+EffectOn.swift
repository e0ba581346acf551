import ActorStore

extension Store {
    /// Runs an effect while an ``EffectState`` is running.
    ///
    /// ```swift
    /// store.effect(on: \.upload) { state in
    ///     let order = state.order
    ///     return .run { context in
    ///         try await api.upload(order)
    ///         context.send(.uploaded)
    ///     } catch: { error in
    ///         .uploadFailed(EffectFailure(error))
    ///     }
    /// }
    /// ```
    ///
    /// When the reducer has the state run, `effect` is asked what to do; after the delay of the attempt it is done. It
    /// is not begun again while the attempt stays the same. A retry, or a restart, is another attempt: what ran is
    /// cancelled, and `effect` is asked anew. When the state is no longer running, because the reducer had it succeed,
    /// fail, be cancelled or reset, what still runs is cancelled in the same turn, begun or not: its task is cancelled,
    /// and what it still sends is dropped. A state that runs already is begun with, such as one that was decoded.
    ///
    /// It lasts as long as the store, which it does not keep alive: on a child as long as the child. One that is asked
    /// for at a scope goes on without the scope. It counts among the store's effects:
    /// ``StoreStatistics/runningEffects`` has it, ``shutdown(drain:within:reserving:clock:isolation:)`` awaits or
    /// cancels it. An action that does not write to the part costs nothing more.
    ///
    /// To drive effects by the whole state of a store, use `\.self`.
    ///
    /// - Parameters:
    ///   - keyPath: The effect's state.
    ///   - owner: An object with which it ends, and which it does not keep alive. That the object is gone is noticed
    ///     when the part changes the next time; to end it at once, keep what this returns in an ``ObservationBag`` of
    ///     the object.
    ///   - clock: Measures the delays of attempts.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - effect: Says what to do. It is called in the store's turn, so that it must not block; name the store weakly
    ///     in it, or not at all.
    /// - Returns: what ends it, by ``StoreObservation/cancel()`` or with a bag; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect<Failure: Error & Hashable>(
        on keyPath: KeyPath<State, EffectState<Failure>> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        _ effect: @escaping @Sendable (_ state: State) -> DrivenEffect<State, Action>
    ) -> StoreObservation {
        let source = CodeLocation(fileID: fileID, line: line)
        let host = reference.driverHost
        let driver: EffectDriver<State, Action, OnlyKey, EffectAttempt> =
            host.makeDriver(owner, at: source, clock: clock, delay: { $0.delay }) { _, attempt, state in
                state[keyPath: keyPath].attempt == attempt
            } ask: { _, _, state in
                effect(state)
            }
        return host.drive(by: .part(keyPath), driver) { value in
            driver.follow(value.attempt, for: OnlyKey())
        }
    }

    /// Runs work while an ``EffectState`` is running; otherwise like ``effect(on:owner:clock:fileID:line:_:)``.
    ///
    /// ```swift
    /// store.effect(on: \.upload) { state, context in
    ///     try await api.upload(state.order)
    ///     context.send(.uploaded)
    /// } catch: { error in
    ///     .uploadFailed(EffectFailure(error))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The effect's state.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - clock: Measures the delays of attempts.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - work: The work of an attempt, given the state at the time when that was asked for; it keeps a copy of that.
    ///   - failure: Makes an action of an error that `work` throws. Without it errors go to ``errors``.
    /// - Returns: what ends it; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect<Failure: Error & Hashable>(
        on keyPath: KeyPath<State, EffectState<Failure>> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        _ work: @escaping @Sendable (State, SideEffectContext<State, Action>) async throws -> Void,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> StoreObservation {
        effect(on: keyPath, owner: owner, clock: clock, fileID: fileID, line: line) { state in
            .run(fileID: fileID, line: line, { context in try await work(state, context) }, catch: failure)
        }
    }
}
