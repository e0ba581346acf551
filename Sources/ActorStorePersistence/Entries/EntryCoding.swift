import Foundation

/// Makes entries of actions, and actions of entries.
struct EntryCoding: Sendable {
    let coding: StateCoding
    /// The version of the reducer.
    let reducer: Int
    /// What errors call the log.
    let log: String
    /// How many bytes an entry has at most.
    let largestEntry: Int
    /// The text of the header of an action about which there is nothing special.
    private let plainHeader: String

    init(_ coding: StateCoding, reducer: Int, log: any ActionLog) throws(ActionLogError) {
        self.coding = coding
        self.reducer = reducer
        self.log = log.name
        largestEntry = log.largestEntry
        plainHeader = try EntryHeader(schema: coding.version, reducer: reducer).text
    }

    /// The header of an action about which there is nothing special.
    var header: EntryHeader { EntryHeader(schema: coding.version, reducer: reducer) }

    /// The text of the header of an action that has these bytes.
    ///
    /// - Throws: ``ActionLogError/Code/tooLarge`` if both together are, or the name of the action is.
    func text(of header: EntryHeader, for payload: Data) throws(ActionLogError) -> String {
        if let count = header.id?.utf8.count, count > RecentIDs.longest {
            throw ActionLogError(
                .tooLarge,
                in: log,
                "The name of the action has \(count) bytes, and \(RecentIDs.longest) are allowed."
            )
        }
        let text = header == self.header ? plainHeader : try header.text
        let size = text.utf8.count + payload.count
        guard size <= largestEntry else {
            throw ActionLogError(
                .tooLarge,
                in: log,
                "The action has \(size) bytes with its name; the log takes \(largestEntry)."
            )
        }
        return text
    }

    /// The bytes of an action.
    ///
    /// - Throws: ``ActionLogError/Code/unencodable`` and ``ActionLogError/Code/tooLarge``.
    func encode(_ action: some Encodable) throws(ActionLogError) -> Data {
        let data: Data
        do throws(StateCodingError) {
            data = try coding.encode(action)
        } catch {
            throw ActionLogError(.unencodable, in: log, "The action cannot be encoded: \(error.reason)")
        }
        // What headers have is little; that much is left for it.
        guard data.count <= largestEntry - min(1_024, largestEntry / 2) else {
            throw ActionLogError(
                .tooLarge,
                in: log,
                "The action has \(data.count) bytes; the log takes \(largestEntry)."
            )
        }
        return data
    }

    /// The action of an entry.
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
                    The action was meant for version \(written) of the reducer, and this program has \(reducer): it \
                    could make something else of it. Have a program of version \(written) make a snapshot behind it \
                    first: by `checkpoint()`, or by a shutdown.
                    """
                    : """
                    The action was meant for version \(written) of the reducer, and this program has \(reducer). \
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
        case .unknownSchema(let version): "version \(version) of the schema is not known"
        }
    }
}

extension ActionLogError {
    /// Why there is no value of bytes.
    init(_ error: StateCodingError, what: String, in log: String, at position: UInt64?) {
        switch error {
        case .unencodable(let reason):
            self.init(.unencodable, in: log, at: position, "The \(what) cannot be encoded: \(reason)")
        case .undecodable(let reason):
            self.init(.undecodable, in: log, at: position, "The \(what) cannot be read: \(reason)")
        case .unknownSchema(let version):
            self.init(
                .unknownSchema,
                in: log,
                at: position,
                """
                The \(what) is of version \(version) of the schema. Update this program if that is a newer one; \
                otherwise give the schema a way from it.
                """
            )
        }
    }
}
