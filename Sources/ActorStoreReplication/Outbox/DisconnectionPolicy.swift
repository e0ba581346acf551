#if Replication
    /// What becomes of actions while the server cannot be reached. Those that had been accepted before are kept in any
    /// case, and appended when there is a connection again.
    public enum DisconnectionPolicy: Sendable, Equatable {
        /// They are kept, in their order, up to ``ReplicationConfiguration/pendingLimit``, and `dispatch` waits.
        case buffer
        /// They are refused as ``ReplicationError/Cause/disconnected``.
        case refuse
    }
#endif
