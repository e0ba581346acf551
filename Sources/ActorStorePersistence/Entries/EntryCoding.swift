import Foundation

/// Encodes actions as entries, and decodes them.
struct EntryCoding: Sendable {
    let coding: StateCoding
    /// The version of the reducer.
    let reducer: Int
    /// The name of the log in errors.
    let log: String
    /// The maximum number of bytes of an entry.
    let largestEntry: Int
    /// The text of the header of a plain action.
    private let plainHeader: String

    init(_ coding: StateCoding, reducer: Int, log: any ActionLog) throws(ActionLogError) {
        self.coding = coding
        self.reducer = reducer
        self.log = log.name
        largestEntry = log.largestEntry
        plainHeader = try EntryHeader(schema: coding.version, reducer: reducer).text
    }

    /// The header of a plain action.
    var header: EntryHeader { EntryHeader(schema: coding.version, reducer: reducer) }

    /// Returns the text of a header for an action with this payload.
    ///
    /// - Throws: ``ActionLogError/Code/tooLarge`` if header and payload together, or the name of the action, exceed
    ///   their limit.
    func text(of header: EntryHeader, for payload: Data) throws(ActionLogError) -> String {
        if let count = header.id?.utf8.count, count > RecentIDs.longest {
            throw ActionLogError(
                .tooLarge,
                in: log,
                "The name of the action has \(count) bytes. The limit is \(RecentIDs.longest). Use a shorter one."
            )
        }
        let text = header == self.header ? plainHeader : try header.text
        let size = text.utf8.count + payload.count
        guard size <= largestEntry else {
            throw ActionLogError(
                .tooLarge,
                in: log,
                "The action has \(size) bytes with its name. The limit of the log is \(largestEntry)."
            )
        }
        return text
    }

    /// Returns the encoding of an action.
    ///
    /// - Throws: ``ActionLogError/Code/unencodable`` and ``ActionLogError/Code/tooLarge``.
    func encode(_ action: some Encodable) throws(ActionLogError) -> Data {
        let data: Data
        do throws(StateCodingError) {
            data = try coding.encode(action)
        } catch {
            throw ActionLogError(.unencodable, in: log, "The action cannot be encoded: \(error.reason)")
        }
        // Headers are small; this leaves enough space for one.
        guard data.count <= largestEntry - min(1_024, largestEntry / 2) else {
            throw ActionLogError(
                .tooLarge,
                in: log,
                "The action has \(data.count) bytes. The limit of the log is \(largestEntry)."
            )
        }
        return data
    }

    /// Returns the action of an entry.
    ///
    /// - Throws: ``ActionLogError/Code/otherReducer``, ``ActionLogError/Code/unknownSchema`` and
    ///   ``ActionLogError/Code/undecodable``.
    func action<Action: Decodable>(
        of entry: ActionLogEntry,
        _ header: EntryHeader,
        at position: UInt64
    ) throws(ActionLogError) -> Action {
        let written = header.reducer ?? 0
        guard written == reducer else {
            throw ActionLogError(
                .otherReducer,
                in: log,
                at: position,
                written < reducer
                    ? """
                    The action was written for version \(written) of the reducer, and this program has \(reducer): the \
                    result could differ. Use a program of version \(written) to write a snapshot after the action first: \
                    by `checkpoint()`, or by a shutdown.
                    """
                    : """
                    The action was written for version \(written) of the reducer, and this program has \(reducer). \
                    Update this program.
                    """
            )
        }
        do throws(StateCodingError) {
            return try coding.action(of: entry.payload, version: header.schema ?? 0)
        } catch {
            throw ActionLogError(error, what: "action", in: log, at: position)
        }
    }
}

extension StateCodingError {
    var reason: String {
        switch self {
        case .unencodable(let reason), .undecodable(let reason): reason
        case .unknownSchema(let version): "version \(version) of the schema is not supported"
        }
    }
}

extension ActionLogError {
    /// Creates the error for a value that cannot be encoded or decoded.
    init(_ error: StateCodingError, what: String, in log: String, at position: UInt64?) {
        switch error {
        case .unencodable(let reason):
            self.init(.unencodable, in: log, at: position, "The \(what) cannot be encoded: \(reason)")
        case .undecodable(let reason):
            self.init(.undecodable, in: log, at: position, "The \(what) cannot be decoded: \(reason)")
        case .unknownSchema(let version):
            self.init(
                .unknownSchema,
                in: log,
                at: position,
                """
                The \(what) has version \(version) of the schema, which this program does not support. Update this \
                program if the version is newer; otherwise add a migration from it.
                """
            )
        }
    }
}
