import ActorStore

/// A rule that sends an action when something happens.
///
/// ```swift
/// let rules = Interceptor<Shop.State, Shop.Action>.observing(
///     .onStart { .refresh },
///     .onChange(of: \.stock) { old, new in new < 5 && old >= 5 ? .restock : nil },
///     .onAction(where: { $0.isOrder }) { action, state in state.isClosed ? .refuse(action) : nil },
///     .on(prices.updates()) { price in .priceChanged(price) }
/// )
/// let store = Store(initialState: Shop.State(), reducer: Shop(), interceptors: [rules])
/// ```
///
/// Rules for actions and changes run within the store's turn, in the order in which they are written, after their
/// action has been reduced and before observers are notified. The actions that they return are queued in the same
/// order. Rules for sequences, notifications and the start run elsewhere, as their documentation says. Use a rule for
/// what should happen regardless of the sender of an action. What belongs to one action alone belongs in the reducer.
public struct ObserverRule<State: Sendable, Action: Sendable>: Sendable {
    /// Starts the rule in one store.
    let begin: @Sendable (RuleSetting<State, Action>) -> RunningRule<State, Action>

    init(begin: @escaping @Sendable (RuleSetting<State, Action>) -> RunningRule<State, Action>) {
        self.begin = begin
    }

    /// Returns a rule that sends an action once, when the store starts to use the rule.
    ///
    /// The action comes before anything that is sent to the store afterwards. If the store loads its first state, the
    /// action is sent when it is ready.
    ///
    /// - Parameter action: Returns the action to send, or nil to send none.
    /// - Returns: A rule for the start.
    public static func onStart(_ action: @escaping @Sendable () -> Action?) -> ObserverRule {
        ObserverRule { setting in
            if let action = action() { setting.send(action) }
            return RunningRule()
        }
    }

    /// Returns a rule that sends an action whenever an action has changed a part of the state.
    ///
    /// Each time the store that uses the rule has reduced an action of its own, the value is compared with the value
    /// after the previous one. A child's own actions are those sent to it, or to stores below it. So a rule of a child
    /// about a part of its parent's state does not run when an action of the parent, or of a sibling, changes that
    /// part, but with the child's next action. It then receives the value after the child's last action and the current
    /// value, as one change. Add a rule about a parent's state to the parent.
    ///
    /// A change by `Store.withIsolation(_:isolation:_:)` is not made by an action. A rule of a root does not run for
    /// it, and compares the next action with the value after the change.
    ///
    /// - Parameters:
    ///   - keyPath: The part. Its last value is retained, so an action that changes it copies it if it is a collection.
    ///   - action: Returns the action to send, from the values before and after; or nil to send none.
    /// - Returns: A rule for changes of the part.
    @inlinable
    public static func onChange<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        _ action: @escaping @Sendable (_ old: Value, _ new: Value) -> Action?
    ) -> ObserverRule {
        let part = StoredPart(keyPath)
        return changeRule(
            read: { state in part?.load(from: UnsafeRawPointer(state)) ?? state.pointee[keyPath: keyPath] },
            isChanged: { $0 != $1 },
            action: action
        )
    }

    @usableFromInline
    static func changeRule<Value: Sendable>(
        read: @escaping @Sendable (UnsafePointer<State>) -> Value,
        isChanged: @escaping @Sendable (Value, Value) -> Bool,
        action: @escaping @Sendable (Value, Value) -> Action?
    ) -> ObserverRule {
        ObserverRule { setting in
            let last = setting.store.lastValue(of: Value.self)
            last.replace(by: setting.store.read(read))
            setting.renew { last.replace(by: setting.store.read(read)) }
            return RunningRule { _, state in
                let new = read(state)
                guard let old = last.replace(by: new), isChanged(old, new) else { return nil }
                return action(old, new)
            }
        }
    }

    /// Returns a rule that sends an action after each action that matches a predicate.
    ///
    /// - Parameters:
    ///   - isMatching: Returns whether an action matches; by default, all do.
    ///   - action: Returns the action to send, from the action that was reduced and the state after it; or nil to send
    ///     none.
    /// - Returns: A rule for actions that match.
    public static func onAction(
        where isMatching: @escaping @Sendable (_ action: Action) -> Bool = { _ in true },
        _ action: @escaping @Sendable (_ action: Action, _ state: State) -> Action?
    ) -> ObserverRule {
        ObserverRule { _ in
            RunningRule { reduced, state in isMatching(reduced) ? action(reduced, state.pointee) : nil }
        }
    }

    /// Returns a rule that sends an action after each action that matches a predicate, with access to the states before
    /// and after.
    ///
    /// The state before is retained while a matching action is reduced, so the action copies the collections that it
    /// changes. Use the overload without the old state if you do not need it.
    ///
    /// - Parameters:
    ///   - isMatching: Returns whether an action matches; by default, all do.
    ///   - action: Returns the action to send, from the action that was reduced and the states before and after it; or
    ///     nil to send none.
    /// - Returns: A rule for actions that match.
    public static func onAction(
        where isMatching: @escaping @Sendable (_ action: Action) -> Bool = { _ in true },
        _ action: @escaping @Sendable (_ action: Action, _ old: State, _ new: State) -> Action?
    ) -> ObserverRule {
        ObserverRule { setting in
            let before = setting.store.lastValue(of: State.self)
            return RunningRule { coming, state in
                before.replace(by: isMatching(coming) ? state.pointee : nil)
            } after: { reduced, state in
                guard let old = before.replace(by: nil) else { return nil }
                return action(reduced, old, state.pointee)
            } abandon: {
                _ = before.replace(by: nil)
            }
        }
    }

    /// Returns a rule that sends an action after each action that matches a pattern, such as a case.
    ///
    /// ```swift
    /// .onAction(.case(.signedIn)) { user, _ in .load(user) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: Matches actions, and extracts a value from them.
    ///   - action: Returns the action to send, from the extracted value and the state after the action; or nil to send
    ///     none.
    /// - Returns: A rule for actions that match.
    public static func onAction<Value>(
        _ pattern: ActionPattern<Action, Value>,
        _ action: @escaping @Sendable (_ value: Value, _ state: State) -> Action?
    ) -> ObserverRule {
        ObserverRule { _ in
            RunningRule { reduced, state in pattern.extract(reduced).flatMap { action($0, state.pointee) } }
        }
    }
}
