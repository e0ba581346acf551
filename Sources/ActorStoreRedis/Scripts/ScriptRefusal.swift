#if Redis
    import ActorStorePersistence

    /// Why a script did nothing: what it answers instead of `ok`.
    struct ScriptRefusal {
        /// The first element of the answer.
        let kind: String
        /// The others.
        let details: [String]
        let keys: RedisLogKeys

        private func detail(_ index: Int) -> String { details.indices.contains(index) ? details[index] : "?" }

        /// The same, as the protocol says it.
        func error(in log: String) -> ActionLogError {
            func error(_ code: ActionLogError.Code, _ reason: String, at position: Int? = nil) -> ActionLogError {
                ActionLogError(code, in: log, at: position.flatMap { UInt64(detail($0)) }, reason)
            }
            switch kind {
            // MARK: What the caller expects
            case "absent": return error(.lostEntries, "The log no longer has what it had acknowledged there.", at: 0)
            case "trimmed": return error(.trimmed, "Entries up to \(detail(1)) were deleted behind a snapshot.", at: 0)
            case "end":
                return error(
                    .unexpectedEnd,
                    "The log ends at \(detail(0)), and not at \(detail(1)) as its writer expects.",
                    at: 0
                )
            case "number":
                return error(.unexpectedNumber, "An entry has number \(detail(1)) where \(detail(0)) is expected.")
            case "fenced": return error(.fenced, "The lease \"\(detail(0))\" was claimed by another holder since.")
            case "parts":
                return error(
                    .damaged,
                    "The snapshot has \(detail(0)) of \(detail(1)) parts, so that it was discarded. Make another one."
                )
            case "exhausted":
                return error(.refused, "The clock of the server is beyond the year 2262. Set it right.")
            // MARK: What is wrong with the log
            case "gone" where detail(0) == "0":
                return error(.lostEntries, "The log is gone: its keys were deleted, or the server lost all its data.")
            case "gone":
                return error(
                    .damaged,
                    "The key \(keys.log) is missing, though there are entries. \(restoreAdvice)"
                )
            case "other":
                return error(.lostEntries, "Another log has been put in place of the one that was connected to.")
            case "format":
                return error(
                    .unknownFormat,
                    "The key \(keys.log) has format \"\(detail(0).prefix(40))\", which this version does not know. "
                        + "Update it."
                )
            case "fields": return error(.damaged, "The key \(keys.log) has missing or wrong fields. \(restoreAdvice)")
            case "foreign":
                return error(
                    .damaged,
                    "There are entries that the log has not appended. Delete them: XDEL \(keys.entries) \(detail(0))"
                )
            case "lost":
                return error(
                    .lostEntries,
                    "The last entry is \(detail(1)), though \(detail(0))-0 was acknowledged. \(restoreAdvice)",
                    at: 0
                )
            case "changed":
                return error(.damaged, "Another entry is where the last one was appended. \(restoreAdvice)", at: 0)
            case "count":
                return error(
                    .damaged,
                    "There are \(detail(0)) entries where \(detail(1)) were appended: some were deleted or added by "
                        + "hand. \(restoreAdvice)"
                )
            case "origins":
                return error(.damaged, "The key \(keys.origins) is not that of these entries. \(restoreAdvice)")
            case "gap":
                return error(.damaged, "The entry is missing, or is none of this log. \(restoreAdvice)", at: 0)
            case "lease":
                return error(
                    .damaged,
                    "A lease in the key \(keys.leases) is none. Delete it: HDEL \(keys.leases) \(detail(0))"
                )
            default: return error(.damaged, "A script answered \"\(kind.prefix(40))\", which it does not.")
            }
        }

        private var restoreAdvice: String {
            "Restore all keys that begin with \(keys.prefix) from one backup, or delete all of them to begin a new log."
        }
    }
#endif
