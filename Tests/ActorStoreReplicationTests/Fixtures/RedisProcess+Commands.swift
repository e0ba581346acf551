#if Replication
    @testable import ActorStoreReplication
    @testable import ReplicationWorkload

    extension RedisProcess {
        /// Carries out a command as somebody else.
        @discardableResult
        func perform(_ name: String, _ words: String...) throws -> RedisReply {
            try RedisConnection(server).perform(RedisCommand(name, words))
        }

        /// Breaks all connections off.
        func cutConnections() throws { try perform("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") }

        func streamLength(_ stream: String) throws -> Int { Int(try perform("XLEN", stream).number ?? 0) }
    }
#endif
