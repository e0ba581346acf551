#if Journal
    import ActorStorePersistence
    import Foundation

    /// Makes records of values, and values of records, and says what is wrong with a record.
    extension StateCoding {
        func record(of value: some Encodable, at revision: UInt64, in file: String) throws(JournalError)
            -> JournalRecord
        {
            do {
                return JournalRecord(revision: revision, schema: version, payload: try encode(value))
            } catch {
                throw JournalError(file, revision: revision, JournalError.Cause(error))
            }
        }

        func action<Action: Decodable>(of record: JournalRecord, in file: String) throws(JournalError) -> Action {
            try value(of: record, in: file) { data, version throws(StateCodingError) in
                try action(of: data, version: version)
            }
        }

        func state<State: Decodable>(of record: JournalRecord, in file: String) throws(JournalError) -> State {
            try value(of: record, in: file) { data, version throws(StateCodingError) in
                try state(of: data, version: version)
            }
        }

        private func value<Value>(
            of record: JournalRecord,
            in file: String,
            _ decode: (_ data: Data, _ version: Int) throws(StateCodingError) -> Value
        ) throws(JournalError) -> Value {
            guard record.isIntact else { throw JournalError(file, revision: record.revision, .brokenRecord) }
            do {
                return try decode(record.payload, record.schema)
            } catch {
                throw JournalError(file, revision: record.revision, JournalError.Cause(error))
            }
        }
    }

    extension JournalError.Cause {
        init(_ error: StateCodingError) {
            switch error {
            case .unencodable(let reason): self = .unencodable(reason)
            case .unknownSchema(let version): self = .unknownSchema(version)
            case .undecodable(let reason): self = .undecodable(reason)
            }
        }
    }
#endif
