#if Replication
    extension Duration {
        /// So many milliseconds, at least one, at most a hundred years of them, whatever somebody has asked for.
        var wholeMilliseconds: Int {
            let (seconds, attoseconds) = min(max(self, .milliseconds(1)), .seconds(3_155_760_000)).components
            return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        }
    }
#endif
