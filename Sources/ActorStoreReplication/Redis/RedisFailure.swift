#if Replication
    /// Why a command has no answer, or which error is the answer.
    enum RedisFailure: Error, Equatable {
        /// There is no connection any more, or never was. Whether the server did what it was asked to is not known.
        case connection(String)
        /// The server refused, and will again.
        case refused(String)
        /// The server refused for now: it is loading its data, has no memory left, or must not be written to.
        case busy(String)

        /// That of an answer.
        init(answer: String) {
            // The first word is the kind. Those here say something about the command or the key, and so for ever; ERR
            // is used for everything else, such as too many clients.
            let kind = answer.prefix { $0 != " " }
            let lasting: Set<Substring> = ["WRONGTYPE", "NOAUTH", "WRONGPASS", "NOPERM"]
            let reasons = [
                "unknown command", "wrong number", "syntax error", "AUTH", "password", "exhausted", "exceeds",
            ]
            let isLasting = lasting.contains(kind) || kind == "ERR" && reasons.contains { answer.contains($0) }
            self = isLasting ? .refused(answer) : .busy(answer)
        }
    }
#endif
