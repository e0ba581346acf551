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
    /// When the reducer starts the state, `effect` is called, and the effect that it returns runs after the delay of
    /// the attempt. It is not started again while the attempt stays the same. A retry or a restart is another attempt:
    /// the running effect is cancelled, and `effect` is called again. When the state is no longer running, because it
    /// succeeded, failed, or was cancelled or reset, its effect is cancelled in the same turn, whether it has begun or
    /// not: its task is cancelled, and actions that it still sends are dropped. If the state is already running when
    /// this is called, for example because it was decoded, the effect starts immediately.
    ///
    /// The effect lasts as long as the store, which it does not retain; on a child, as long as the child. If you call
    /// this on a scope, the effect does not end with the scope. It counts among the store's effects:
    /// ``StoreStatistics/runningEffects`` includes it, and ``shutdown(drain:within:reserving:clock:isolation:)`` awaits
    /// or cancels it. An action that does not write to the part costs a comparison of
    /// a few bytes.
    ///
    /// To drive an effect by the whole state of a store, use `\.self`.
    ///
    /// - Parameters:
    ///   - keyPath: The effect's state.
    ///   - owner: An object whose release ends the effect. It is not retained. Its release is detected when the part
    ///     changes the next time; to end the effect immediately, keep the returned token in an ``ObservationBag`` of
    ///     the object.
    ///   - clock: The clock for the delays of attempts.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - effect: Returns the effect. It runs within the store's turn, and must not block. Capture the store weakly in
    ///     it, or not at all.
    /// - Returns: A token that ends the effect, by ``StoreObservation/cancel()`` or with a bag. It can be ignored.
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

    /// Runs work while an ``EffectState`` is running.
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
    /// This is a shorter form of ``effect(on:owner:clock:fileID:line:_:)`` for work that always runs, and needs only
    /// the state and the store.
    ///
    /// - Parameters:
    ///   - keyPath: The effect's state.
    ///   - owner: An object whose release ends the effect. It is not retained.
    ///   - clock: The clock for the delays of attempts.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - work: The work of an attempt. It receives the state at the time when the attempt was requested, and retains
    ///     that copy.
    ///   - failure: Maps an error that `work` throws to an action. Without this closure, errors reach ``errors``.
    /// - Returns: A token that ends the effect when it is cancelled. It can be ignored.
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
