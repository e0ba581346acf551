#if Replication
    import Foundation

    extension RedisConnection {
        /// The place of the newest entry, if there is one.
        func lastPosition(of stream: String) throws(RedisFailure) -> StreamPosition? {
            try perform(RedisCommand("XREVRANGE", [stream, "+", "-", "COUNT", "1"])).elements?.first?.elements?.first?
                .string.flatMap { StreamPosition($0) }
        }

        /// Whether there is an entry at this place.
        func contains(_ position: StreamPosition, in stream: String) throws(RedisFailure) -> Bool {
            try perform(RedisCommand("XRANGE", [stream, "\(position)", "\(position)"])).elements?.isEmpty == false
        }

        /// Whether every entry is there that ever was; so is a stream that is not there.
        func isUntrimmed(_ stream: String) throws(RedisFailure) -> Bool {
            guard try perform(RedisCommand("EXISTS", [stream])).number == 1,
                let fields = try perform(RedisCommand("XINFO", ["STREAM", stream])).elements
            else { return true }
            func number(_ name: String) -> UInt64? {
                fields.firstIndex { $0.string == name }.flatMap { fields[$0 + 1].number }
            }
            // Servers before version 7 do not count what was added; there the answer is what is hoped for.
            guard let added = number("entries-added") else { return true }
            return added == number("length")
        }

        /// The next entries.
        ///
        /// The server passes over what has been trimmed without a word, so that it is asked whether the entry at the
        /// place itself is still there, after it has read.
        ///
        /// - Parameters:
        ///   - duration: How long the server waits if there is none; nil for not at all.
        ///   - timeout: How long its answer may take beyond that.
        /// - Returns: the entries, and whether they follow the place without a gap.
        func read(
            _ stream: String,
            after position: StreamPosition,
            waiting duration: Duration?,
            _ timeout: Duration
        ) throws(RedisFailure) -> (entries: [RedisReply], isGapless: Bool) {
            var words = ["COUNT", "512"]
            if let duration { words += ["BLOCK", "\(Int(duration / .milliseconds(1)))"] }
            try wait(atMost: (duration ?? .zero) + timeout)
            var commands = RedisCommand("XREAD", words + ["STREAMS", stream, "\(position)"]).bytes
            if position > .zero { commands += RedisCommand("XRANGE", [stream, "\(position)", "\(position)"]).bytes }
            try send(commands)
            let entries = try receive().elements?.first?.elements?.last?.elements ?? []
            if position > .zero { return (entries, try receive().elements?.isEmpty == false) }
            return (entries, entries.isEmpty ? true : try isUntrimmed(stream))
        }
    }
#endif
