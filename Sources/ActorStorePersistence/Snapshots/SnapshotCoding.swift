import Foundation

/// Makes snapshots of states, and states of snapshots.
struct SnapshotCoding: Sendable {
    let coding: EntryCoding

    /// What the header of a snapshot says, as JSON.
    private struct Header: Codable {
        var schema: Int
        var reducer: Int
        var revision: UInt64
    }

    /// A snapshot on its way to a log, a part at a time, so that no step takes long: a plain value.
    struct Encoded: Sendable {
        /// How many bytes a part has at most.
        static let partSize = 1 << 18

        let snapshot: ActionLogSnapshot
        let revision: UInt64
        private let account: Data
        private let state: Data
        /// The number of the next part.
        private(set) var number = 0

        fileprivate init(_ header: String, _ account: LogAccount, _ encodedAccount: Data, _ state: Data) {
            self.account = encodedAccount
            self.state = state
            revision = account.revision
            let count = 1 + max(1, (state.count + Self.partSize - 1) / Self.partSize)
            snapshot = ActionLogSnapshot(at: account.point, header: header, parts: count)
        }

        /// How many bytes there are.
        var size: Int { account.count + state.count }

        /// The next part; nil when there are no more. The first is the account; an empty state has an empty one.
        var next: Data? {
            guard number > 0 else { return account }
            guard number < snapshot.parts else { return nil }
            let start = state.startIndex + (number - 1) * Self.partSize
            return state[start..<min(start + Self.partSize, state.endIndex)]
        }

        /// Goes on, because the part has been written.
        mutating func advance() { number += 1 }
    }

    /// The bytes of a state.
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

    /// The revision of a snapshot, by its header; nil if it cannot be read.
    func revision(of snapshot: ActionLogSnapshot) -> UInt64? {
        (try? JSONDecoder().decode(Header.self, from: Data(snapshot.header.utf8)))?.revision
    }

    /// The state of a snapshot.
    ///
    /// - Throws: What the log throws; ``ActionLogError/Code/damaged`` if a part is missing;
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
            throw ActionLogError(.damaged, in: coding.log, at: position, "The snapshot is of another place.")
        }
        guard account.isCredible else {
            throw ActionLogError(.damaged, in: coding.log, at: position, "The snapshot's numbers are none of a log.")
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
