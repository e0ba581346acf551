#if Journal
    import Foundation

    /// Makes records of values, and values of records, and says what is wrong with a record.
    struct JournalCoding: Sendable {
        let codec: any JournalCodec
        let schema: JournalSchema

        func record(of value: some Encodable, at revision: UInt64, in file: String) throws(JournalError)
            -> JournalRecord
        {
            do {
                return JournalRecord(revision: revision, schema: schema.version, payload: try codec.encode(value))
            } catch {
                throw JournalError(file, revision: revision, .unencodable("\(error)"))
            }
        }

        func action<Action: Decodable>(of record: JournalRecord, in file: String) throws(JournalError) -> Action {
            try value(of: record, in: file, schema.migrateAction)
        }

        func state<State: Decodable>(of record: JournalRecord, in file: String) throws(JournalError) -> State {
            try value(of: record, in: file, schema.migrateState)
        }

        private func value<Value: Decodable>(
            of record: JournalRecord,
            in file: String,
            _ migrate: JournalSchema.Migration?
        ) throws(JournalError) -> Value {
            guard record.isIntact else { throw JournalError(file, revision: record.revision, .brokenRecord) }
            guard record.schema == schema.version || (record.schema < schema.version && migrate != nil) else {
                throw JournalError(file, revision: record.revision, .unknownSchema(record.schema))
            }
            do {
                var payload = record.payload
                if record.schema < schema.version, let migrate { payload = try migrate(record.schema, payload) }
                return try codec.decode(Value.self, from: payload)
            } catch {
                throw JournalError(file, revision: record.revision, .undecodable("\(error)"))
            }
        }
    }
#endif
