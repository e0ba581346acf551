import ActorStore

/// What a store is to do when something happens: send an action, or nothing.
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
/// Rules run in the store's turn, in the order in which they are written, after the action that they are about has been
/// reduced and before the observers are told. What they return is queued, in the same order. A rule is for what should
/// happen whoever sent an action; what belongs to one action alone belongs into the reducer.
public struct ObserverRule<State: Sendable, Action: Sendable>: Sendable {
    /// Begins to follow the rule in one store.
    let begin: @Sendable (RuleSetting<State, Action>) -> RunningRule<State, Action>

    init(begin: @escaping @Sendable (RuleSetting<State, Action>) -> RunningRule<State, Action>) {
        self.begin = begin
    }

    /// Sends an action once, when the store begins to use the rule: before anything that is sent to it afterwards, and
    /// when it is ready if it loads its first state.
    public static func onStart(_ action: @escaping @Sendable () -> Action?) -> ObserverRule {
        ObserverRule { setting in
            if let action = action() { setting.send(action) }
            return RunningRule()
        }
    }

    /// Asks for an action whenever an action has changed a part of the state.
    ///
    /// The value is compared when the store that uses the rule has reduced an action of its own, with the value after
    /// the one before. A child's own actions are those that are sent to it, or to stores below it. So a rule of a child
    /// about a part of its parent's state is not followed when an action of the parent, or of a sibling, changes that,
    /// but with the child's next action: it then gets the value after the child's last action and the value now, as one
    /// change. Give a rule about a parent's state to the parent.
    ///
    /// A change by `Store.withIsolation(_:isolation:_:)` is made by no action. A rule of a root is not asked about
    /// it, and compares the next action with the value after it.
    ///
    /// - Parameters:
    ///   - keyPath: The part. Its last value is kept, so that an action that changes it copies it if it is a
    ///     collection.
    ///   - action: Makes an action of the values before and after, or nil.
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

    /// Asks for an action after each action of a kind.
    ///
    /// - Parameters:
    ///   - isMatching: Which actions.
    ///   - action: Makes an action of the one that was reduced and of the state after it, or nil.
    public static func onAction(
        where isMatching: @escaping @Sendable (_ action: Action) -> Bool = { _ in true },
        _ action: @escaping @Sendable (_ action: Action, _ state: State) -> Action?
    ) -> ObserverRule {
        ObserverRule { _ in
            RunningRule { reduced, state in isMatching(reduced) ? action(reduced, state.pointee) : nil }
        }
    }

    /// Asks for an action after each action of a kind, knowing the states before and after.
    ///
    /// The state before is kept while a matching action is reduced, so that this copies the collections that it
    /// changes.
    ///
    /// - Parameters:
    ///   - isMatching: Which actions.
    ///   - action: Makes an action of the one that was reduced and of the states before and after it, or nil.
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

    /// Asks for an action after each action that matches, such as those of a case.
    ///
    /// ```swift
    /// .onAction(.case(.signedIn)) { user, _ in .load(user) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: Which actions, and what is taken out of them.
    ///   - action: Makes an action of what was taken out and of the state after the action, or nil.
    public static func onAction<Value>(
        _ pattern: ActionPattern<Action, Value>,
        _ action: @escaping @Sendable (_ value: Value, _ state: State) -> Action?
    ) -> ObserverRule {
        ObserverRule { _ in
            RunningRule { reduced, state in pattern.extract(reduced).flatMap { action($0, state.pointee) } }
        }
    }
}
