@testable import ActorStore

/// Values of all shapes, described and compared.
enum DescriptionsTarget {
    private struct Pair {
        var left: Any
        var right: Any
    }

    private enum Choice {
        case none
        case one(Any)
        case named(first: Any, second: Any)
    }

    static func run(_ bytes: inout Bytes) {
        let maximumElements = [0, 1, 4, 32][bytes.below(4)]
        let old = value(&bytes, depth: 0)
        let new = bytes.isTrue() ? value(&bytes, depth: 0) : old
        let lines = [old, new].map { ValueDescription(of: $0, maximumElements: maximumElements).line }
        demand(lines.allSatisfy { !$0.contains("\n") }, "A description has several lines.")
        let difference = ValueDifference(from: old, to: new, maximumElements: maximumElements)
        demand(lines[0] == lines[1] || !difference.isEmpty, "\(lines) differ, without a visible difference.")
        demand(difference.lines.allSatisfy { !$0.text.contains("\n") }, "A line is several.")
        demand(ValueDifference(from: old, to: old).isEmpty, "A value differs from itself.")
    }

    private static func value(_ bytes: inout Bytes, depth: Int) -> Any {
        switch depth < 4 ? bytes.below(14) : bytes.below(5) {
        case 0: return bytes.number()
        case 1: return bytes.isTrue()
        case 2: return Double(bytes.number()) / 4
        case 3, 4: return text(&bytes)
        case 5: return (0..<bytes.below(6)).map { _ in value(&bytes, depth: depth + 1) }
        case 6, 7: return table(&bytes, depth)
        case 8: return Set((0..<bytes.below(6)).map { _ in text(&bytes) })
        case 9: return Pair(left: value(&bytes, depth: depth + 1), right: value(&bytes, depth: depth + 1))
        case 10: return Choice.one(value(&bytes, depth: depth + 1))
        case 11: return Choice.named(first: value(&bytes, depth: depth + 1), second: bytes.isTrue())
        case 12: return bytes.isTrue() ? Choice.none as Any : (value(&bytes, depth: depth + 1), bytes.byte())
        default:
            let content = value(&bytes, depth: depth + 1)
            return (bytes.isTrue() ? Optional(content) : nil) as Any
        }
    }

    /// Few letters, so that there are equal texts, numeric ones, and those with line breaks. No dot, which is omitted
    /// at the beginning, so that two keys would have the same description.
    private static func text(_ bytes: inout Bytes) -> String {
        let letters: [Character] = ["1", "2", "9", "0", "a", "\n", "\"", "-", "+", "é", "\u{301}", "\r\n", "e"]
        return String((0..<bytes.below(4)).map { _ in letters[bytes.below(letters.count)] })
    }

    /// A name that is described without quotes.
    private struct Name: Hashable, CustomStringConvertible {
        let description: String
    }

    /// A dictionary whose description must not depend on its history.
    private static func table(_ bytes: inout Bytes, _ depth: Int) -> Any {
        let names = (0..<bytes.below(8)).map { _ in Name(description: text(&bytes)) }
        let entries = names.map { ($0, value(&bytes, depth: depth + 1)) }
        let table = Dictionary(entries) { first, _ in first }
        var other: [Name: Any] = [:]
        other.reserveCapacity(64)
        for (name, value) in table { other[name] = value }
        let lines = [table, other].map { ValueDescription(of: $0).line }
        demand(lines[0] == lines[1], "The same dictionary is described as \(lines[0]), and as \(lines[1]).")
        return table
    }
}
