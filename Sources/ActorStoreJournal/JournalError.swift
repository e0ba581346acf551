#if Journal
    import CSQLite

    /// What went wrong with a journal: in which file, at which revision, and why.
    public struct JournalError: Error, Sendable, Equatable {
        /// Why.
        public enum Cause: Sendable, Equatable {
            /// Somebody has the journal open for writing, in this process or in another one.
            case inUse
            /// The file is something else than a journal.
            case notAJournal
            /// The file is of a format that this version of the library does not know.
            case unknownFormat(Int)
            /// SQLite could not read or write: its extended result code and its message. `SQLITE_FULL` is a full disk,
            /// `SQLITE_CORRUPT` a file that was cut off or changed.
            case database(code: Int32, message: String)
            /// The system could not open, lock or write a file: its error number.
            case system(code: Int32)
            /// The record is not as it was written.
            case brokenRecord
            /// The record was written with a version of the schema that is newer than that of this program.
            case unknownSchema(Int)
            /// The record could not be migrated or decoded.
            case undecodable(String)
            /// The value could not be encoded. If it is an action, the journal ends before it, and takes no more.
            case unencodable(String)
            /// Records are missing from this revision on, up to the one before `next`.
            case missingRecords(next: UInt64)
            /// The journal ends before this revision, which it had on disk once: its end has been lost.
            case lostEnd(expected: UInt64)
            /// There is no state at this revision: it is not reached yet, or it has been compacted away.
            case unknownRevision
            /// There is a journal already where one was to be imported.
            case notEmpty
            /// The store has been shut down, and its journal closed.
            case closed
        }

        /// The file.
        public let file: String
        /// The revision that it is about, if it is about one.
        public let revision: UInt64?
        /// Why.
        public let cause: Cause

        init(_ file: String, revision: UInt64? = nil, _ cause: Cause) {
            self.file = file
            self.revision = revision
            self.cause = cause
        }
    }

    extension JournalError: CustomStringConvertible {
        /// Names the file, the revision and the cause, and says what can be done if that is not obvious.
        public var description: String {
            "The journal \"\(file)\"\(revision.map { ", revision \($0)" } ?? ""): \(cause)"
        }
    }

    extension JournalError.Cause: CustomStringConvertible {
        /// Says it in words.
        public var description: String {
            switch self {
            case .inUse: "It is open for writing already. A journal has one writer; shut the other one down first."
            case .notAJournal: "The file is not a journal."
            case .unknownFormat(let format):
                "Its format \(format) is not known; it was written by another version of this library."
            case .database(let code, let message): "SQLite says: \(message) (\(code))."
            case .system(let code): "The system refused with error \(code)."
            case .brokenRecord: "The record is not as it was written: its checksum does not hold."
            case .unknownSchema(let version): "The record is of version \(version) of the schema, which is not known."
            case .undecodable(let reason): "The record cannot be read: \(reason)"
            case .unencodable(let reason): "The value cannot be encoded: \(reason)"
            case .missingRecords(let next): "Records are missing up to revision \(next)."
            case .lostEnd(let expected):
                """
                It had revision \(expected) once, and ends before: its end was cut off, or an older file was put in its \
                place. If that is meant, delete the file with "-lock" at the end of its name.
                """
            case .unknownRevision: "There is no state: the revision is not reached yet, or has been compacted away."
            case .notEmpty: "There is a journal already."
            case .closed: "It has been closed, because the store has been shut down."
            }
        }
    }

    extension JournalError.Cause {
        init(_ failure: SQLiteFailure) {
            switch failure.primaryCode {
            case SQLITE_NOTADB: self = .notAJournal
            default: self = .database(code: failure.code, message: failure.message)
            }
        }

        /// Whether SQLite had no room.
        var isFull: Bool {
            guard case .database(let code, _) = self else { return false }
            return code & 0xFF == SQLITE_FULL
        }
    }
#endif
