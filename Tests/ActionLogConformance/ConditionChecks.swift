import ActorStorePersistence

extension ConformanceCheck {
    /// Entries that do not meet their writer's expectation are refused as a whole.
    static let conditions: [ConformanceCheck] = [
        ConformanceCheck("A gap and a repeat in the numbers of an origin are refused, with the whole group") {
            laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            for numbers: ClosedRange<UInt64> in [5...5, 1...1, 3...3, 3...4, 1...9, 5...9] {
                try expect(.unexpectedNumber, from: "appending \(numbers)") {
                    try connection.append(group("a", numbers))
                }
            }
            try expect(.unexpectedNumber, from: "a group with a gap") {
                try connection.append(group("a", 4...4) + group("a", 6...6))
            }
            try expect(.unexpectedNumber, from: "the first entry of an origin, with number 2") {
                try connection.append(group("b", 2...2))
            }
            try expect(try connection.readAll(), is: group("a", 1...3), "the entries")
            try expect(try connection.lastNumber(of: "a"), is: 3, "the last number")
            try expect(try connection.append(group("a", 4...4)), is: 4, "the position of the next one")
        },
        ConformanceCheck("A writer that expects the end is refused when others have appended") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...2), if: AppendCondition(.end(.start)))
            let end = try connection.status().end
            try connection.append(group("a", 3...3), if: AppendCondition(.end(end)))
            try expect(.unexpectedEnd, from: "appending at an earlier end") {
                try connection.append(group("a", 4...4), if: AppendCondition(.end(end)))
            }
            try expect(.unexpectedEnd, from: "appending at the start") {
                try connection.append(group("b", 1...1), if: AppendCondition(.end(.start)))
            }
            try expect(.lostEntries, from: "appending after the end") {
                let later = ActionLogPoint(position: 9, identity: identity("a", 9))
                try connection.append(group("a", 4...4), if: AppendCondition(.end(later)))
            }
            try expect(.lostEntries, from: "appending where another entry is") {
                let other = ActionLogPoint(position: 3, identity: identity("b", 3))
                try connection.append(group("a", 4...4), if: AppendCondition(.end(other)))
            }
            try expect(try connection.status().end.position, is: 3, "the end")
        },
        ConformanceCheck("A writer that has seen an entry is refused when the entry is missing") { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...3))
            let seen = ActionLogPoint(position: 2, identity: identity("a", 2))
            try expect(
                try connection.append(group("b", 1...1), if: AppendCondition(.contains(seen))),
                is: 4,
                "the position after what others have appended"
            )
            for lost in [
                ActionLogPoint(position: 2, identity: identity("c", 2)),
                ActionLogPoint(position: 2, identity: identity("a", 1)),
                ActionLogPoint(position: 7, identity: identity("a", 7)),
            ] {
                try expect(.lostEntries, from: "appending after \(lost)") {
                    try connection.append(group("b", 2...2), if: AppendCondition(.contains(lost)))
                }
            }
            try expect(try connection.status().end.position, is: 4, "the end")
        },
        ConformanceCheck(
            "Connections that have seen lost entries detect the loss, and the log continues without a gap",
            needsLoss: true
        ) { laboratory in
            let connection = try laboratory.log.connect()
            try connection.append(group("a", 1...8))
            let seen = try connection.status().end
            try laboratory.loseEnd?(5)
            let later = try laboratory.log.connect()
            try expect(try later.status().end.position, is: 5, "the end")
            try expect(try later.lastNumber(of: "a"), is: 5, "the last number")
            try expect(.lostEntries, from: "appending behind lost entries") {
                try later.append(group("a", 9...9), if: AppendCondition(.contains(seen)))
            }
            try expect(.lostEntries, from: "appending at the end that was lost") {
                try later.append(group("a", 9...9), if: AppendCondition(.end(seen)))
            }
            try expect(.unexpectedNumber, from: "appending with a gap") { try later.append(group("a", 9...9)) }
            // Others continue beyond the position, with other entries.
            try later.append(group("b", 1...10))
            try expect(.lostEntries, from: "appending behind what others have put in its place") {
                try later.append(group("a", 9...9), if: AppendCondition(.contains(seen)))
            }
            try expect(try later.readAll(), is: group("a", 1...5) + group("b", 1...10), "the entries")
        },
    ]
}
