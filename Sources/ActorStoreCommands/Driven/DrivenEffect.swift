import ActorStore

/// The effect that a state requests at one moment: work, nothing, or a postponement.
///
/// Return it from the closures that you pass to `Store.effect(on:owner:clock:fileID:line:_:)` and its overloads. These
/// closures run within the store's turn, with the store's dependencies in force and with the state as it is then. They
/// copy from the state what the work needs, and must not block.
///
/// ```swift
/// store.effect(on: \.upload) { state in
///     guard state.isOnline else { return .postpone(until: \.isOnline) }
///     let order = state.order
///     return .run { context in
///         try await api.upload(order)
///         context.send(.uploaded)
///     }
/// }
/// ```
public struct DrivenEffect<State: Sendable, Action: Sendable>: Sendable {
    enum Kind: Sendable {
        case none
        case effect(@Sendable (StoreReference<State, Action>) -> Effect<Action>)
        case postponed(@Sendable (EffectDriverHost<State, Action>, _ state: State, DrivenSource) -> Postponement)
    }

    let kind: Kind

    /// No work, although the state requests the effect.
    public static var none: DrivenEffect { DrivenEffect(kind: .none) }

    /// Returns an effect that runs an asynchronous operation, which can send and dispatch actions.
    ///
    /// It runs off the store, in a task of its own. When the state no longer requests it or the store ends, the task is
    /// cancelled, and actions that the operation still sends or dispatches are dropped and counted in
    /// `StoreStatistics.lateActions`.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil uses that of the store's configuration.
    ///   - fileID: The file of the effect, for diagnostics.
    ///   - line: The line of the effect, for diagnostics.
    ///   - body: The operation. Its context does not retain the store.
    ///   - failure: Maps an error that `body` throws to an action, or to nil to ignore it. Without this closure, errors
    ///     reach `Store.errors`. Errors of a cancelled body are ignored.
    /// - Returns: An effect that runs the operation.
    public static func run(
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ context: SideEffectContext<State, Action>) async throws -> Void,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> DrivenEffect {
        DrivenEffect(
            kind: .effect { store in
                .run(
                    priority: priority,
                    fileID: fileID,
                    line: line,
                    { _ in try await body(.ofCurrentEffect(store)) },
                    catch: failure
                )
            }
        )
    }

    /// Returns a driven effect that runs an `Effect`.
    ///
    /// - Parameter effect: The effect. Its identities are scoped to the driven effect.
    /// - Returns: An effect that runs `effect`.
    public static func effect(_ effect: Effect<Action>) -> DrivenEffect {
        DrivenEffect(kind: .effect { _ in effect })
    }

    /// Returns an effect that waits until a condition of the state becomes true.
    ///
    /// The closure is called again when the condition changes from false to true, if the state still requests the
    /// effect. Until then, other changes of the state have no influence.
    ///
    /// - Parameters:
    ///   - condition: The condition. If it is already true, it must become false first.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    /// - Returns: An effect that waits for the condition.
    public static func postpone(
        until condition: KeyPath<State, Bool> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> DrivenEffect {
        postponed(condition, CodeLocation(fileID: fileID, line: line)) { old, new in new && !old }
    }

    /// Returns an effect that waits until a part of the state changes.
    ///
    /// The closure is called again when the part has changed, if the state still requests the effect. Until then, other
    /// changes of the state have no influence.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    /// - Returns: An effect that waits for a change of the part.
    public static func postpone<Value: Equatable & Sendable>(
        untilChangeOf keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> DrivenEffect {
        postponed(keyPath, CodeLocation(fileID: fileID, line: line)) { old, new in
            // Two values that are not equal to themselves, such as two NaNs, count as the same here.
            old != new && (old == old || new == new)
        }
    }

    private static func postponed<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        _ source: CodeLocation,
        _ isDue: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
    ) -> DrivenEffect {
        DrivenEffect(
            kind: .postponed { host, state, driven in
                let last = host.lastValue(of: Value.self)
                last.replace(by: state[keyPath: keyPath])
                return host.observeAfterThisTurn(Observed<State, Value>.part(keyPath), at: source) { value in
                    if let old = last.replace(by: value), isDue(old, value) { driven.askAgain() }
                }
            }
        )
    }
}

/// The driver to ask again when a postponed effect is due. Called within the turn.
struct DrivenSource: Sendable {
    let askAgain: @Sendable () -> Void
}

extension SideEffectContext {
    /// Returns the context of the effect that the current task belongs to.
    fileprivate static func ofCurrentEffect(_ store: StoreReference<State, Action>) -> SideEffectContext {
        guard let work = RunningWork.current else {
            preconditionFailure("The work of a driven effect runs outside the task of an effect.")
        }
        return SideEffectContext(store.context(of: work))
    }
}
