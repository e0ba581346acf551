#if Postgres
    import CPostgres
    import Foundation

    /// The server's answer to one statement, in binary format.
    final class PostgresResult {
        // Sound: libpq hands over the pointer in `init`, `deinit` frees it, and it does not escape. Values that libpq
        // returns are copied before the call returns.
        private let result: OpaquePointer

        init(taking result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        var status: ExecStatusType { PQresultStatus(result) }

        /// The number of rows.
        var count: Int { Int(PQntuples(result)) }

        /// The error in this answer.
        var failure: PostgresFailure {
            guard let state = PostgresDiagnostic.state.text(in: result) else {
                // An error of libpq itself: the connection broke.
                return .connection(String(cString: PQresultErrorMessage(result)))
            }
            return PostgresFailure(
                state: state,
                PostgresDiagnostic.message.text(in: result) ?? "",
                source: PostgresDiagnostic.source.text(in: result)
            )
        }

        // MARK: Values

        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

        func number(_ row: Int, _ column: Int) throws(PostgresFailure) -> UInt64 {
            let value = try signedNumber(row, column)
            guard let number = UInt64(exactly: value) else { throw unexpected("the negative number \(value)", column) }
            return number
        }

        func signedNumber(_ row: Int, _ column: Int) throws(PostgresFailure) -> Int64 {
            try withValue(row, column) { bytes in
                guard bytes.count == 8 else { return nil }
                return bytes.reduce(0) { $0 << 8 | Int64($1) }
            }
        }

        func flag(_ row: Int, _ column: Int) throws(PostgresFailure) -> Bool {
            try withValue(row, column) { $0.count == 1 ? $0[0] != 0 : nil }
        }

        func text(_ row: Int, _ column: Int) throws(PostgresFailure) -> String {
            try withValue(row, column) { String(decoding: $0, as: UTF8.self) }
        }

        func data(_ row: Int, _ column: Int) throws(PostgresFailure) -> Data {
            try withValue(row, column) { Data($0) }
        }

        func uuid(_ row: Int, _ column: Int) throws(PostgresFailure) -> UUID {
            try withValue(row, column) { bytes in
                bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
            }
        }

        private func withValue<Value>(
            _ row: Int,
            _ column: Int,
            _ body: (UnsafeRawBufferPointer) -> Value?
        ) throws(PostgresFailure) -> Value {
            // libpq checks the indices, and returns no address for an invalid one.
            guard !isNull(row, column), let address = PQgetvalue(result, Int32(row), Int32(column)) else {
                throw unexpected("no value", column)
            }
            let count = Int(PQgetlength(result, Int32(row), Int32(column)))
            guard let value = body(UnsafeRawBufferPointer(start: address, count: count)) else {
                throw unexpected("\(count) bytes", column)
            }
            return value
        }

        private func unexpected(_ what: String, _ column: Int) -> PostgresFailure {
            .unexpectedAnswer(
                "The server answered with \(what) in column \(column), which this library does not expect."
            )
        }
    }

    /// A field of an error or a warning. The numbers are those of the protocol.
    enum PostgresDiagnostic {
        case severity, state, message
        /// The name of the file of the server's source that reports it, which is not translated.
        case source

        private var field: Int32 {
            switch self {
            case .severity: Int32(UInt8(ascii: "V"))
            case .state: Int32(UInt8(ascii: "C"))
            case .message: Int32(UInt8(ascii: "M"))
            case .source: Int32(UInt8(ascii: "F"))
            }
        }

        func text(in result: OpaquePointer?) -> String? {
            PQresultErrorField(result, field).map { String(cString: $0) }
        }
    }
#endif
