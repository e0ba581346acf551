import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Descriptions of actions and other values")
struct ValueDescriptionTests {
    struct Password: Redactable, Equatable { var text = "secret" }
    struct Card: Redactable, Equatable {
        var number = "4111 1111 1111 1234"
        var redacted: String { "…\(number.suffix(4))" }
    }
    struct Item: Equatable {
        var name = "pen"
        var count = 2
    }
    struct Named: CustomStringConvertible { var description: String { "by hand" } }
    struct Debugged: CustomStringConvertible, CustomDebugStringConvertible {
        var description: String { "by hand" }
        var debugDescription: String { "for debugging" }
    }
    struct Empty {}
    final class Object { let first = 1 }
    final class DescribedObject: CustomStringConvertible { var description: String { "by hand" } }
    actor Counter { var count = 0 }
    indirect enum Action {
        case reset
        case add(Int)
        case order(item: Item, quantity: Int)
        case move(Int, to: String)
        case signIn(user: String, Password)
        case nested(Action)
        case maybe(Int?)
    }

    func line(_ value: Any) -> String { ValueDescription(of: value).line }

    @Test("A case is written with its label and its payload")
    func cases() {
        #expect(line(Action.reset) == "reset")
        #expect(line(Action.add(2)) == "add(2)")
        #expect(
            line(Action.order(item: Item(), quantity: 3)) == #"order(item: Item(name: "pen", count: 2), quantity: 3)"#
        )
        #expect(line(Action.move(1, to: "a")) == #"move(1, to: "a")"#)
        #expect(line(Action.nested(.reset)) == "nested(.reset)")
        #expect(line(Action.nested(.add(1))) == "nested(.add(1))")
        #expect(line(Action.maybe(nil)) == "maybe(nil)")
        #expect(line(Action.maybe(3)) == "maybe(3)")
    }

    @Test("A type with a description or debug description of its own is described by it, at any depth")
    func ownDescriptions() {
        #expect(line(Debugged()) == "for debugging")
        #expect(line([Debugged()]) == "[for debugging]")
        #expect(line(Named()) == "by hand")
        #expect(line(["a": Named()]) == #"["a": by hand]"#)
    }

    @Test("Redactable values are omitted at any depth")
    func redaction() {
        #expect(line(Action.signIn(user: "ada", Password())) == #"signIn(user: "ada", <redacted>)"#)
        #expect(line([Optional(Card())]) == "[…1234]")
        #expect(line(["key": (1, Password())]) == #"["key": (1, <redacted>)]"#)
    }

    @Test("Collections are described in order, dictionaries and sets sorted; long collections are cut")
    func collections() {
        #expect(line([3, 1, 2]) == "[3, 1, 2]")
        #expect(line([10: "x", 9: "y"]) == #"[9: "y", 10: "x"]"#)
        #expect(line(Set(["b", "a"])) == #"["a", "b"]"#)
        #expect(line(TreeDictionary(uniqueKeysWithValues: [(2, 2), (1, 1)])) == "[1: 1, 2: 2]")
        // Numbers first, so that the order is total.
        let labels = ["10", "9", "1a", "b"].map(Label.init(description:))
        for first in labels {
            for second in labels where second != first {
                let entries = [first, second] + labels.filter { $0 != first && $0 != second }
                #expect(line(Dictionary(entries.map { ($0, 0) }) { $1 }) == "[9: 0, 10: 0, 1a: 0, b: 0]")
            }
        }
        // Strings with different compositions have no order.
        let accents = ["\u{E9}e\u{301}", "\u{E9}\u{E9}1"].map(Label.init(description:))
        for bits in 1...12 {
            var table: [Label: Int] = [:]
            table.reserveCapacity(1 << bits)
            for label in accents { table[label] = 0 }
            #expect(line(table) == "[\u{E9}e\u{301}: 0, \u{E9}\u{E9}1: 0]")
        }
        #expect(line([Int]()) == "[]" && line([Int: Int]()) == "[:]" && line(Set<Int>()) == "[]")
        #expect(ValueDescription(of: Array(1...10), maximumElements: 2).line == "[1, 2, … (8 more)]")
        #expect(ValueDescription(of: [1, 2], maximumElements: -1) == ValueDescription(of: [1, 2], maximumElements: 0))
    }

    @Test("All other values have Swift's description, in one line")
    func others() {
        #expect(line(1) == "1" && line(1.5) == "1.5" && line(true) == "true")
        #expect(line("two\nlines \"quoted\"") == #""two\nlines \"quoted\"""#)
        #expect(line(Label(description: "a\nb\r\nc\rd")) == #"a\nb\r\nc\rd"#)
        #expect(line((1, b: "x")) == #"(1, b: "x")"#)
        #expect(line(Empty()) == "Empty()")
        #expect(line(Int?.none as Any) == "nil")
        #expect(line(Duration.seconds(2)) == "2.0 seconds")
    }

    @Test("An object is described by the name of its type unless it has a description: its contents may be changing")
    func objects() {
        #expect(line(Object()) == "Object")
        #expect(line([Object() as Object?, nil]) == "[Object, nil]")
        #expect(line((Counter(), DescribedObject())) == "(Counter, by hand)")
    }

    @Test("An element of nested sets is described once, at any depth")
    func nestedSets() {
        func numberOfDescriptions(_ maximumElements: Int, in nest: (Nested) -> Nested) -> Int {
            let descriptions = Collector<Void>()
            var nested = Nested(descriptions: descriptions)
            for _ in 0..<12 { nested = nest(nested) }
            _ = ValueDescription(of: nested, maximumElements: maximumElements)
            return descriptions.elements.count
        }
        for maximumElements in [1, 32] {
            #expect(numberOfDescriptions(maximumElements) { Nested(set: [$0]) } == 1)
            #expect(numberOfDescriptions(maximumElements) { Nested(table: [$0: 1]) } == 1)
        }
    }

    /// A value in sets or keys, whose innermost value counts its descriptions.
    private struct Nested: Hashable {
        struct Leaf: CustomStringConvertible {
            let descriptions: Collector<Void>
            var description: String {
                descriptions.append(())
                return "leaf"
            }
        }

        var leaf: Leaf?
        var set: Set<Nested> = []
        var table: [Nested: Int] = [:]

        init(descriptions: Collector<Void>) { leaf = Leaf(descriptions: descriptions) }
        init(set: Set<Nested>) { self.set = set }
        init(table: [Nested: Int]) { self.table = table }

        static func == (left: Nested, right: Nested) -> Bool { left.set == right.set && left.table == right.table }

        func hash(into hasher: inout Hasher) { hasher.combine(set) }
    }

    private struct Label: Hashable, CustomStringConvertible {
        let description: String
    }
}
