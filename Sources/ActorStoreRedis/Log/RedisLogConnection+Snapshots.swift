#if Redis
    import ActorStorePersistence
    import Foundation

    extension RedisLogConnection {
        private var snapshotKeys: [String] { keys.common + [keys.snapshots, keys.unfinished] }

        private func partKeys(of id: String) -> [String] { snapshotKeys + [keys.parts(of: id)] }

        func snapshots() throws(ActionLogError) -> [ActionLogSnapshot] {
            var snapshots: [ActionLogSnapshot] = []
            for record in try run(.snapshots, snapshotKeys) {
                do {
                    snapshots.append(try JSONDecoder().decode(ActionLogSnapshot.self, from: record.data ?? Data()))
                } catch {
                    throw refusal("record", [])
                }
            }
            return snapshots.sorted { $0.point.position > $1.point.position }
        }

        func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data? {
            var command = RedisCommand("HGET", keys.parts(of: snapshot.id.uuidString))
            command.append("\(number)")
            return try connection.perform(command).data
        }

        func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) {
            guard part.count <= RedisLimits.largestValue else {
                throw ActionLogError(
                    .tooLarge,
                    in: connection.name,
                    "A snapshot part of \(part.count) bytes exceeds the limit of \(RedisLimits.largestValue)."
                )
            }
            let id = snapshot.id.uuidString
            _ = try run(.writePart, partKeys(of: id), [.text(id), .text("\(number)"), .bytes(part)])
        }

        func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
            let record: Data
            do {
                record = try JSONEncoder().encode(snapshot)
            } catch {
                throw ActionLogError(.refused, in: connection.name, "The snapshot cannot be encoded: \(error).")
            }
            guard record.count <= RedisLimits.largestValue else {
                throw ActionLogError(
                    .tooLarge,
                    in: connection.name,
                    "The header of the snapshot exceeds the limit of \(RedisLimits.largestValue) bytes."
                )
            }
            let id = snapshot.id.uuidString
            let arguments =
                [.text(id), .text("\(snapshot.parts)")] + Self.arguments(of: snapshot.point) + [.bytes(record)]
            return try run(.finish, partKeys(of: id), arguments).first?.number == 1
        }

        func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError) {
            try discard(snapshot.id.uuidString, writtenBefore: .zero)
        }

        private func discard(_ id: String, writtenBefore age: Duration) throws(ActionLogError) {
            _ = try run(.discard, partKeys(of: id), [.text(id), .number(age.wholeMilliseconds)])
        }

        func discardUnfinished() throws(ActionLogError) -> Bool { try trim(through: 0, writtenBefore: .zero) }

        func trim(through position: UInt64) throws(ActionLogError) -> Bool {
            try trim(through: position, writtenBefore: .seconds(86_400))
        }

        /// Deletes entries, snapshots before a position, and unfinished ones of an age.
        private func trim(through position: UInt64, writtenBefore age: Duration) throws(ActionLogError) -> Bool {
            let arguments: [Argument] = [
                .number(position), .number(UInt64(RedisLimits.trimmedAtOnce)), .number(age.wholeMilliseconds),
            ]
            let answer = try run(.trim, snapshotKeys, arguments)
            // One call per snapshot, because scripts must declare their keys. After an interruption, the next trim
            // continues.
            for id in answer.dropFirst().compactMap(\.string) { try discard(id, writtenBefore: age) }
            return answer.first?.number == 1
        }
    }
#endif
