import ActorStore

extension Interceptor {
    /// Returns an interceptor that applies rules: it sends actions when something happens.
    ///
    /// It passes every action on unchanged. Rules about actions apply to the actions that reach this interceptor,
    /// unless a later interceptor stops them. Once a shutdown has begun, the actions of rules are refused. An action
    /// that does not fit into a full mailbox is reported to ``Store/errors``.
    ///
    /// - Parameter rules: The rules, applied in this order.
    /// - Returns: An interceptor with these rules.
    public static func observing(_ rules: ObserverRule<State, Action>...) -> Interceptor {
        observing(rules)
    }

    /// Returns an interceptor that applies rules; see ``observing(_:)-(ObserverRule<State,Action>...)``.
    ///
    /// - Parameter rules: The rules, applied in this order.
    /// - Returns: An interceptor with these rules.
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
                // Not in `onRemoval`: sequences that block until they are cancelled may occupy the threads that would
                // run it.
                for rule in running { rule.task?.cancelInBackground(on: executor) }
                setting.store.removeRenewals(of: setting.end)
            }
            return active
        }
    }
}
