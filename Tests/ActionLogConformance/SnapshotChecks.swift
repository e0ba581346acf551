import ActorStorePersistence
import Foundation

extension ConformanceCheck {
    /// Snapshots, and deletions behind them.
    static let snapshots: [ConformanceCheck] = [
        ConformanceCheck("A snapshot is visible when it is finished, with all its parts, and not before") {
            laboratory in
            let (writer, reader) = (try laboratory.log.connect(), try laboratory.log.connect())
            try writer.append(group("a", 1...5))
            let parts = [Data("one".utf8), Data(), Data(repeating: 7, count: 1 << 20)]
            let snapshot = ActionLogSnapshot(
                at: ActionLogPoint(position: 4, identity: identity("a", 4)),
                header: #"{"revision":4}"#,
                parts: parts.count
            )
            for (number, part) in parts.enumerated() {
                try writer.write(part, number, of: snapshot)
                try expect(try reader.snapshots().count, is: 0, "the snapshots before the end")
            }
            try expect(try writer.finish(snapshot), is: true, "whether it is the newest")
            try expect(try reader.snapshots(), is: [snapshot], "the snapshots")
            for (number, part) in parts.enumerated() {
                try expect(try reader.part(number, of: snapshot), is: part, "part \(number)")
            }
            try expect(try reader.part(3, of: snapshot), is: nil, "a missing part")
        },
        ConformanceCheck("A snapshot without one of its parts is not finished before all of them are written again") {
            laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            let point = ActionLogPoint(position: 2, identity: identity("a", 2))
            let snapshot = ActionLogSnapshot(at: point, header: "", parts: 3)
            for missing in 0..<3 {
                for number in 0..<3 where number != missing {
                    try connection.write(Data("part \(number)".utf8), number, of: snapshot)
                }
                // A part with another number does not count.
                try connection.write(Data("unused".utf8), 3, of: snapshot)
                try expect(.damaged, from: "finishing without part \(missing)") { try connection.finish(snapshot) }
                let impossible = ActionLogSnapshot(at: point, id: snapshot.id, header: "", parts: -1)
                try expect(.damaged, from: "finishing -1 parts") { try connection.finish(impossible) }
                try expect(try connection.snapshots().count, is: 0, "the snapshots")
                try connection.discard(snapshot)
            }
            for number in 0..<3 { try connection.write(Data("part \(number)".utf8), number, of: snapshot) }
            try expect(try connection.finish(snapshot), is: true, "whether it is the newest")
            try expect(try connection.part(2, of: snapshot), is: Data("part 2".utf8), "its last part")
        },
        ConformanceCheck("The newest snapshot comes first, and an older one does not replace it") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...9))
            func save(_ position: UInt64) throws -> (snapshot: ActionLogSnapshot, isNewest: Bool) {
                let point = ActionLogPoint(position: position, identity: identity("a", position))
                let snapshot = ActionLogSnapshot(at: point, header: "", parts: 1)
                try connection.write(Data("state \(position)".utf8), 0, of: snapshot)
                return (snapshot, try connection.finish(snapshot))
            }
            let (first, second, older, same) = (try save(3), try save(7), try save(5), try save(7))
            try expect(
                [first, second, older, same].map(\.isNewest),
                is: [true, true, false, false],
                "which are newest"
            )
            try expect(try connection.snapshots(), is: [second.snapshot, first.snapshot], "the snapshots")
            try expect(try connection.part(0, of: older.snapshot), is: nil, "the part of one that came too late")
        },
        ConformanceCheck("A snapshot finished again after a lost response is unchanged") {
            laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            let point = ActionLogPoint(position: 2, identity: identity("a", 2))
            let snapshot = ActionLogSnapshot(at: point, header: "", parts: 1)
            try connection.write(Data("state".utf8), 0, of: snapshot)
            for _ in 0..<2 { try expect(try connection.finish(snapshot), is: true, "whether it is the newest") }
            try expect(try connection.snapshots(), is: [snapshot], "the snapshots")
            try expect(try connection.part(0, of: snapshot), is: Data("state".utf8), "its part")
        },
        ConformanceCheck("A snapshot finished again behind a later one keeps its parts") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            let snapshots = [UInt64(2), 3].map { position in
                ActionLogSnapshot(
                    at: ActionLogPoint(position: position, identity: identity("a", position)),
                    header: "",
                    parts: 1
                )
            }
            for snapshot in snapshots {
                try connection.write(Data("state \(snapshot.point.position)".utf8), 0, of: snapshot)
                try connection.finish(snapshot)
            }
            // The response to the first call was lost, and another connection was faster than the second call.
            try connection.finish(snapshots[0])
            try expect(try connection.snapshots(), is: snapshots.reversed(), "the snapshots")
            try expect(try connection.part(0, of: snapshots[0]), is: Data("state 2".utf8), "the part of the older one")
        },
        ConformanceCheck("A discarded snapshot has no parts, and a finished one keeps them") {
            laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            func write(_ position: UInt64) throws -> ActionLogSnapshot {
                let point = ActionLogPoint(position: position, identity: identity("a", position))
                let snapshot = ActionLogSnapshot(at: point, header: "", parts: 150)
                for number in 0..<150 { try connection.write(Data("part \(number)".utf8), number, of: snapshot) }
                return snapshot
            }
            let (finished, discarded) = (try write(2), try write(3))
            try connection.finish(finished)
            for snapshot in [finished, discarded, discarded] { try connection.discard(snapshot) }
            for number in [0, 1, 75, 149] {
                try expect(try connection.part(number, of: discarded), is: nil, "a part of the discarded snapshot")
            }
            try expect(try connection.snapshots(), is: [finished], "the snapshots")
            try expect(try connection.part(1, of: finished), is: Data("part 1".utf8), "a part of the finished snapshot")
        },
        ConformanceCheck("All snapshots that are not finished can be discarded") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...4))
            let snapshots = (2...4 as ClosedRange<UInt64>).map { position in
                let point = ActionLogPoint(position: position, identity: identity("a", position))
                return ActionLogSnapshot(at: point, header: "", parts: 40)
            }
            for snapshot in snapshots {
                for number in 0..<40 { try connection.write(Data("part \(number)".utf8), number, of: snapshot) }
            }
            try connection.finish(snapshots[0])
            var calls = 0
            while try connection.discardUnfinished() { calls += 1 }
            try expect(calls <= 80, is: true, "that \(calls) calls are enough")
            for snapshot in snapshots[1...] {
                for number in [0, 39] {
                    try expect(try connection.part(number, of: snapshot), is: nil, "part \(number)")
                }
            }
            try expect(try connection.part(39, of: snapshots[0]), is: Data("part 39".utf8), "a finished part")
            try expect(.damaged, from: "an incomplete snapshot") { _ = try connection.finish(snapshots[2]) }
            try expect(try connection.discardUnfinished(), is: false, "whether there is more")
            try expect(try connection.snapshots(), is: [snapshots[0]], "the snapshots")
        },
        ConformanceCheck("A snapshot of entries that the log does not have is refused") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            for point in [
                ActionLogPoint(position: 2, identity: identity("b", 2)),
                ActionLogPoint(position: 9, identity: identity("a", 9)),
            ] {
                let snapshot = ActionLogSnapshot(at: point, header: "", parts: 1)
                try connection.write(Data("state".utf8), 0, of: snapshot)
                try expect(.lostEntries, from: "a snapshot of \(point)") { _ = try connection.finish(snapshot) }
                try expect(try connection.part(0, of: snapshot), is: nil, "its part")
            }
            try expect(try connection.snapshots().count, is: 0, "the snapshots")
        },
        ConformanceCheck("Trimmed entries are gone, and positions and numbers continue") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...5) + [])
            try connection.append(group("b", 1...5))
            for position: UInt64 in [2, 4, 8] {
                let named = position <= 5 ? identity("a", position) : identity("b", position - 5)
                let snapshot = ActionLogSnapshot(
                    at: ActionLogPoint(position: position, identity: named),
                    header: "",
                    parts: 1
                )
                try connection.write(Data(), 0, of: snapshot)
                try connection.finish(snapshot)
            }
            while try connection.trim(through: 4) {}
            try expect(try connection.status().first, is: 5, "the first position")
            try expect(try connection.status().end.position, is: 10, "the end")
            try expect(try connection.snapshots().map(\.point.position), is: [8, 4], "the snapshots")
            try expect(.trimmed, from: "reading from the start") { _ = try connection.read(after: 0, atMost: 1) }
            try expect(.trimmed, from: "reading trimmed entries") { _ = try connection.read(after: 3, atMost: 1) }
            try expect(.trimmed, from: "looking up trimmed entries") { _ = try connection.identity(at: 3) }
            try expect(try connection.identity(at: 4), is: identity("a", 4), "the entry before the first one")
            try expect(try connection.readAll(after: 4).count, is: 6, "the entries that are left")
            try expect(.trimmed, from: "appending behind trimmed entries") {
                let gone = ActionLogPoint(position: 2, identity: identity("a", 2))
                try connection.append(group("a", 6...6), if: AppendCondition(.contains(gone)))
            }
            let last = ActionLogPoint(position: 4, identity: identity("a", 4))
            try expect(
                try connection.append(group("a", 6...6), if: AppendCondition(.contains(last))),
                is: 11,
                "the next position"
            )
            while try connection.trim(through: 11) {}
            try expect(try connection.status().first, is: 12, "the first position of a log with nothing left")
            let end = ActionLogPoint(position: 11, identity: identity("a", 6))
            try expect(try connection.status().end, is: end, "its end")
            try expect(try connection.lastNumber(of: "b"), is: 5, "the last number of an origin with nothing left")
            try expect(try connection.append(group("b", 6...6), if: AppendCondition(.end(end))), is: 12, "what follows")
            try expect(try laboratory.log.connect().readAll(after: 11), is: group("b", 6...6), "all that is there")
        },
        ConformanceCheck("A listed snapshot has all parts, also while older ones are being deleted") { laboratory in
            let (writer, reader) = (try laboratory.log.connect(), try laboratory.log.connect())
            try writer.append(group("a", 1...6))
            for (position, parts) in [(2, 10), (4, 20), (6, 10)] as [(UInt64, Int)] {
                let point = ActionLogPoint(position: position, identity: identity("a", position))
                let snapshot = ActionLogSnapshot(at: point, header: "", parts: parts)
                for number in 0..<parts { try writer.write(Data("part".utf8), number, of: snapshot) }
                try writer.finish(snapshot)
            }
            var isDone = false
            while !isDone {
                isDone = try !writer.trim(through: 6)
                for snapshot in try reader.snapshots() {
                    let parts = try (0..<snapshot.parts).filter { try reader.part($0, of: snapshot) != nil }
                    try expect(parts.count, is: snapshot.parts, "the parts of that at \(snapshot.point.position)")
                }
            }
            try expect(try reader.snapshots().map(\.point.position), is: [6], "the snapshots")
        },
        ConformanceCheck("A trim stops at the log's end, and a trim of deleted entries does nothing") { laboratory in
            let connection = try laboratory.log.connect()
            while try connection.trim(through: 10) {}
            try expect(try connection.status().first, is: 1, "the first position of an empty log")
            try connection.append(group("a", 1...3))
            while try connection.trim(through: 50) {}
            try expect(try connection.status().first, is: 4, "the first position")
            while try connection.trim(through: 2) {}
            try expect(try connection.status().first, is: 4, "the first position after an earlier trim")
            try expect(try connection.append(group("a", 4...4)), is: 4, "the next position")
        },
    ]
}
