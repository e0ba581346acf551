import ActorStore

extension Interceptor {
    /// Follows rules: sends actions when something happens.
    ///
    /// It passes every action on as it is. Rules about actions know those that come to it, unless an interceptor after
    /// it stops them. A rule's action is refused once a shutdown has begun. What a full mailbox has no room for is
    /// reported to ``Store/errors``.
    ///
    /// - Parameter rules: Followed in this order.
    public static func observing(_ rules: ObserverRule<State, Action>...) -> Interceptor {
        observing(rules)
    }

    /// Follows rules; see ``observing(_:)-(ObserverRule<State,Action>...)``.
    ///
    /// - Parameter rules: Followed in this order.
    public static func observing(_ rules: [ObserverRule<State, Action>]) -> Interceptor {
        .settingUp("observing") { store in
            let setting = RuleSetting(store: store, name: "observing")
            let running = rules.map { $0.begin(setting) }
            let executor = store.configuration?.executor
            var active = ActiveInterceptor<State, Action> { action, context, next in
                context.withState { state in
                    for rule in running { rule.before?(action, state) }
                }
                do { try next(action) } catch {
                    for rule in running { rule.abandon?() }
                    throw error
                }
                context.withState { state in
                    for rule in running {
                        guard let result = rule.after?(action, state) else { continue }
                        if !setting.send(result).isAccepted { context.retire(result) }
                    }
                }
            } onRemoval: {
                for rule in running { rule.end?() }
            }
            active.whenRemoved = {
                setting.end.note()
                // Not in what is called on removal: sequences that block until they are cancelled may occupy the
                // threads that would do that.
                for rule in running { rule.task?.cancelInBackground(on: executor) }
                setting.store.removeRenewals(of: setting.end)
            }
            return active
        }
    }
}
