#if Replication
    import ActorStore

    /// What happens in the store of a replica.
    enum ReplicaAction<State: Sendable, Action: Sendable>: Sendable {
        /// Somebody here wants an action to be in the stream.
        case local(Action, from: LocalSender)
        /// An entry has come by the stream, whose action is to be reduced.
        case entry(StreamEntry<Action>)
        /// One has come that is passed over.
        case passed(StreamEntry<Action>)
        /// A state takes the place of what there is: what is between was not seen.
        case install(ReplicaState<State>)
    }

    /// Who wants that.
    struct LocalSender: Sendable {
        /// For whoever waits for the action.
        var ticket: Ticket?
        /// The lease that it is sent under.
        var lease: UInt64?
        /// Whether it is an effect, which may still send while the store is shut down.
        var isEffect = false
    }

    /// Tells whoever dispatches an action what became of it.
    final class Ticket: Sendable {
        /// Which number it has got, or why it was refused.
        enum Outcome {
            case none
            case accepted(number: UInt64)
            case refused(ReplicationError)
        }

        /// What the reducer has answered.
        enum Answer {
            /// It has not reduced the action here.
            case none
            /// It has, with this answer, or without one.
            case given((any Sendable)?)
        }

        /// Whether the action is a request, whose answer is waited for.
        let isRequest: Bool
        private let stored = LockedValue((outcome: Outcome.none, answer: Answer.none))

        init(isRequest: Bool = false) { self.isRequest = isRequest }

        var outcome: Outcome {
            get { stored.withLock { $0.outcome } }
            set { stored.withLock { $0.outcome = newValue } }
        }

        var answer: Answer {
            get { stored.withLock { $0.answer } }
            set { stored.withLock { $0.answer = newValue } }
        }
    }
#endif
