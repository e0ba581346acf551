#if Redis
    import ActorStorePersistence

    /// A script's answer other than `ok`: the reason why it did nothing.
    struct ScriptRefusal {
        /// The first element of the answer.
        let kind: String
        /// The other elements.
        let details: [String]
        let keys: RedisLogKeys

        private func detail(_ index: Int) -> String { details.indices.contains(index) ? details[index] : "?" }

        /// Returns the error that the protocol defines for this answer.
        func error(in log: String) -> ActionLogError {
            func error(_ code: ActionLogError.Code, _ reason: String, at position: Int? = nil) -> ActionLogError {
                ActionLogError(code, in: log, at: position.flatMap { UInt64(detail($0)) }, reason)
            }
            switch kind {
            // MARK: Unmet conditions of the caller
            case "absent":
                return error(.lostEntries, "The log has lost the entry that it had acknowledged there.", at: 0)
            case "trimmed":
                return error(.trimmed, "Entries up to \(detail(1)) were deleted in favour of a snapshot.", at: 0)
            case "end":
                return error(
                    .unexpectedEnd,
                    "The log ends at \(detail(0)), but its writer expects \(detail(1)).",
                    at: 0
                )
            case "number":
                return error(.unexpectedNumber, "An entry has number \(detail(1)) where \(detail(0)) is expected.")
            case "fenced": return error(.fenced, "Another holder has claimed the lease \"\(detail(0))\" since.")
            case "parts":
                return error(
                    .damaged,
                    "The snapshot had only \(detail(0)) of \(detail(1)) parts and was discarded. Write all of them again."
                )
            case "exhausted":
                return error(
                    .refused,
                    "The clock of the server, or the greatest token of the log, is beyond the year 2248. Correct the "
                        + "clock."
                )
            // MARK: Damage of the log
            case "gone" where detail(0) == "0":
                return error(
                    .lostEntries,
                    "The log no longer exists: its keys were deleted, or the server lost all its data. Restore a backup."
                )
            case "gone":
                return error(
                    .damaged,
                    "The key \(keys.log) is missing, although entries exist. \(restoreAdvice)"
                )
            case "other":
                return error(.lostEntries, "Another log has replaced the one of this connection.")
            case "format":
                return error(
                    .unknownFormat,
                    "The key \(keys.log) has the format \"\(detail(0).prefix(40))\", which this version does not support. "
                        + "Update this library."
                )
            case "fields": return error(.damaged, "The key \(keys.log) has missing or wrong fields. \(restoreAdvice)")
            case "foreign":
                return error(
                    .damaged,
                    "Another program has added entries. Delete them: XDEL \(keys.entries) \(detail(0))"
                )
            case "lost":
                return error(
                    .lostEntries,
                    "The last entry is \(detail(1)), although \(detail(0))-0 was acknowledged. \(restoreAdvice)",
                    at: 0
                )
            case "changed":
                return error(.damaged, "Another entry is at the position of the last one. \(restoreAdvice)", at: 0)
            case "count":
                return error(
                    .damaged,
                    "The log has \(detail(0)) entries instead of \(detail(1)): some were deleted or added by "
                        + "hand. \(restoreAdvice)"
                )
            case "origins":
                return error(.damaged, "The key \(keys.origins) does not match the entries. \(restoreAdvice)")
            case "gap":
                return error(.damaged, "The entry is missing, or was not written by this log. \(restoreAdvice)", at: 0)
            case "record":
                return error(
                    .damaged,
                    "A snapshot in the key \(keys.snapshots) cannot be read. Delete it, unless it is of a later version."
                )
            case "lease":
                return error(
                    .damaged,
                    "A lease in the key \(keys.leases) cannot be read. Delete it: HDEL \(keys.leases) \(detail(0))"
                )
            default: return error(.damaged, "A script returned the unexpected answer \"\(kind.prefix(40))\".")
            }
        }

        private var restoreAdvice: String {
            "Restore all keys that begin with \(keys.prefix) from one backup, or delete all of them to start a new log."
        }
    }
#endif
