import ActorStore

/// What a state asks for at one moment: work, nothing, or to be asked again later.
///
/// It is what the closures return that are given to `Store.effect(on:owner:clock:fileID:line:_:)` and its relatives.
/// They are called in the store's turn, with the dependencies that the store keeps and with the state as it is then, so
/// that they take from it what the work needs, and must not block.
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

    /// Nothing is to be done, although the state asks for it.
    public static var none: DrivenEffect { DrivenEffect(kind: .none) }

    /// Work that sends and dispatches actions.
    ///
    /// It runs off the store, in a task of its own. When it is cancelled, because the state goes on or the store ends,
    /// its task is cancelled, and what it still sends and dispatches is dropped and counted in
    /// `StoreStatistics.lateActions`.
    ///
    /// - Parameters:
    ///   - priority: The priority of its task; nil takes that of the store's configuration.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - body: The work. What it is given does not keep the store alive.
    ///   - failure: Makes an action of an error that `body` throws, or nil to let it be. Without it errors go to
    ///     `Store.errors`. A cancelled body's errors go nowhere.
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

    /// An effect like those of reducers. Its identities are known to this effect alone.
    public static func effect(_ effect: Effect<Action>) -> DrivenEffect {
        DrivenEffect(kind: .effect { _ in effect })
    }

    /// Not now: the closure is called again when a condition of the state comes to be true that was not, if the state
    /// asks for the effect still. Until then nothing is done, whatever else of the state changes.
    ///
    /// - Parameters:
    ///   - condition: The condition. If it is true already, it has to turn false before.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    public static func postpone(
        until condition: KeyPath<State, Bool> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> DrivenEffect {
        postponed(condition, CodeLocation(fileID: fileID, line: line)) { old, new in new && !old }
    }

    /// Not now: the closure is called again when a part of the state has changed; otherwise like
    /// ``postpone(until:fileID:line:)``.
    public static func postpone<Value: Equatable & Sendable>(
        untilChangeOf keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> DrivenEffect {
        postponed(keyPath, CodeLocation(fileID: fileID, line: line)) { old, new in
            // Two values that are not equal to themselves, such as not-a-numbers, are the same here.
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

/// Whom to ask again, when what was postponed is due. In the turn.
struct DrivenSource: Sendable {
    let askAgain: @Sendable () -> Void
}

extension SideEffectContext {
    /// What the effect that the current task is part of can see of its store.
    fileprivate static func ofCurrentEffect(_ store: StoreReference<State, Action>) -> SideEffectContext {
        guard let work = RunningWork.current else {
            preconditionFailure("The task of an effect knows which effect it is part of.")
        }
        return SideEffectContext(store.context(of: work))
    }
}
