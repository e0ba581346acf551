#if Replication
    import ActorStore

    /// What happens in the store of a replica.
    enum ReplicaAction<State: Sendable, Action: Sendable>: Sendable {
        /// Somebody here wants an action to be in the stream.
        case local(Action, ticket: Ticket?, lease: UInt64?)
        /// An entry has come by the stream.
        case entry(StreamEntry<Action>)
        /// A state takes the place of what there is: what is between was not seen.
        case install(ReplicaState<State>)
    }

    /// Tells whoever dispatches an action what became of it.
    final class Ticket: Sendable {
        /// Which number it has got, or why it was refused.
        enum Outcome {
            case none
            case accepted(number: UInt64)
            case refused(ReplicationError)
        }

        private let stored = Shielded(Outcome.none)

        var outcome: Outcome {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }
#endif
