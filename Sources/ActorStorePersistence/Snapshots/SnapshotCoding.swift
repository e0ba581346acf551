import Foundation

/// Encodes states as snapshots, and decodes them.
struct SnapshotCoding: Sendable {
    let coding: EntryCoding

    /// The header of a snapshot, as JSON.
    private struct Header: Codable {
        var schema: Int
        var reducer: Int
        var revision: UInt64
    }

    /// An encoded snapshot that is written in parts, so that no step takes long: a plain value.
    struct Encoded: Sendable {
        /// The maximum number of bytes of a part.
        static let partSize = 1 << 18

        let snapshot: ActionLogSnapshot
        let revision: UInt64
        private let account: Data
        private let state: Data
        /// The number of the next part.
        private(set) var number = 0
        private var isRestarted = false

        fileprivate init(_ header: String, _ account: LogAccount, _ encodedAccount: Data, _ state: Data) {
            self.account = encodedAccount
            self.state = state
            revision = account.revision
            let count = 1 + max(1, (state.count + Self.partSize - 1) / Self.partSize)
            snapshot = ActionLogSnapshot(at: account.point, header: header, parts: count)
        }

        /// The number of bytes.
        var size: Int { account.count + state.count }

        /// The next part; nil after the last one. The first part is the account; an empty state has one empty part.
        var next: Data? {
            guard number > 0 else { return account }
            guard number < snapshot.parts else { return nil }
            let start = state.startIndex + (number - 1) * Self.partSize
            return state[start..<min(start + Self.partSize, state.endIndex)]
        }

        /// Advances after a part has been written.
        mutating func advance() { number += 1 }

        /// Begins again with the first part.
        ///
        /// - Returns: False if that has been done before.
        mutating func restart() -> Bool {
            if isRestarted { return false }
            (number, isRestarted) = (0, true)
            return true
        }
    }

    /// Returns the encoding of a state.
    ///
    /// - Throws: ``ActionLogError/Code/unencodable``.
    func encode(_ logged: LoggedState<some Encodable & Sendable>) throws(ActionLogError) -> Encoded {
        let header = Header(
            schema: coding.coding.version,
            reducer: coding.reducer,
            revision: logged.account.revision
        )
        do {
            return Encoded(
                String(decoding: try JSONEncoder().encode(header), as: UTF8.self),
                logged.account,
                try JSONEncoder().encode(logged.account),
                try coding.coding.encode(logged.state)
            )
        } catch {
            throw ActionLogError(.unencodable, in: coding.log, "The state cannot be encoded: \(error)")
        }
    }

    /// Returns the revision of a snapshot from its header; nil if the header cannot be read.
    func revision(of snapshot: ActionLogSnapshot) -> UInt64? { header(of: snapshot)?.revision }

    /// Returns the version of the reducer of the program that has written a snapshot; nil if its header cannot be read.
    func reducer(of snapshot: ActionLogSnapshot) -> Int? { header(of: snapshot)?.reducer }

    private func header(of snapshot: ActionLogSnapshot) -> Header? {
        try? JSONDecoder().decode(Header.self, from: Data(snapshot.header.utf8))
    }

    /// Returns the state of a snapshot.
    ///
    /// - Throws: The errors of the log; ``ActionLogError/Code/damaged`` if a part is missing;
    ///   ``ActionLogError/Code/unknownFormat``, ``ActionLogError/Code/unknownSchema`` and
    ///   ``ActionLogError/Code/undecodable``.
    func load<State: Decodable & Sendable>(
        _ snapshot: ActionLogSnapshot,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> LoggedState<State> {
        let position = snapshot.point.position
        var parts: [Data] = []
        for number in 0..<max(snapshot.parts, 2) {
            guard let part = try connection.part(number, of: snapshot) else {
                throw ActionLogError(.damaged, in: coding.log, at: position, "A part of the snapshot is missing.")
            }
            parts.append(part)
        }
        let (header, account): (Header, LogAccount)
        do {
            header = try JSONDecoder().decode(Header.self, from: Data(snapshot.header.utf8))
            account = try JSONDecoder().decode(LogAccount.self, from: parts[0])
        } catch {
            throw ActionLogError(.unknownFormat, in: coding.log, at: position, "The snapshot cannot be read: \(error)")
        }
        guard account.point == snapshot.point else {
            throw ActionLogError(.damaged, in: coding.log, at: position, "The snapshot belongs to another position.")
        }
        guard account.isCredible else {
            throw ActionLogError(.damaged, in: coding.log, at: position, "The snapshot contains impossible numbers.")
        }
        var data = Data(capacity: parts.dropFirst().reduce(0) { $0 + $1.count })
        for part in parts.dropFirst() { data.append(part) }
        do throws(StateCodingError) {
            return LoggedState(state: try coding.coding.state(of: data, version: header.schema), account: account)
        } catch {
            throw ActionLogError(error, what: "snapshot", in: coding.log, at: position)
        }
    }
}
