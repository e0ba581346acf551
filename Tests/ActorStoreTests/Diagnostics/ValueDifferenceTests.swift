import ActorStore
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Differences of values")
struct ValueDifferenceTests {
    struct Item: Equatable { var name = "pen", count = 2 }
    enum Mode: Equatable { case idle, running(Int), waiting(for: String, since: Int) }
    struct State: Equatable {
        var total = 0
        var note = "old"
        var mode = Mode.idle
        var items: [Item] = []
        var table: [Int: String] = [:]
        var tags: Set<String> = []
        var chosen: Item?
        var password = ValueDescriptionTests.Password()
    }

    func text(_ change: (inout State) -> Void, from old: State = State()) -> String {
        var new = old
        change(&new)
        return ValueDifference(from: old, to: new).description
    }

    @Test("Values that are equal by their `==` are not compared any deeper")
    func ownEquality() {
        struct Tolerant: Equatable {
            var value = 1
            var ignored = 1
            static func == (left: Tolerant, right: Tolerant) -> Bool { left.value == right.value }
        }
        #expect(ValueDifference(from: Tolerant(), to: Tolerant(ignored: 2)).isEmpty)
        #expect(ValueDifference(from: (Tolerant(), 1), to: (Tolerant(ignored: 2), 2)).lines.count == 5)
    }

    @Test("Equal values have no difference")
    func equal() {
        #expect(ValueDifference(from: State(), to: State()).isEmpty)
        #expect(ValueDifference(from: 1, to: 1).description.isEmpty)
    }

    @Test("A difference is shown with its path; equal parts are counted in their place")
    func properties() {
        #expect(
            text {
                $0.note = "new"
                $0.chosen = Item()
            } == """
                  State(
                    … (1 unchanged)
                -   note: "old"
                +   note: "new"
                    … (4 unchanged)
                -   chosen: nil
                +   chosen: Item(name: "pen", count: 2)
                    … (1 unchanged)
                  )
                """
        )
    }

    @Test("A change deep inside a value is shown at its depth")
    func nested() {
        #expect(
            text({ $0.chosen?.count = 3 }, from: State(chosen: Item())) == """
                  State(
                    … (6 unchanged)
                    chosen: Item(
                      … (1 unchanged)
                -     count: 2
                +     count: 3
                    )
                    … (1 unchanged)
                  )
                """
        )
    }

    @Test("Equal cases are compared by payload, different cases are shown as replaced")
    func cases() {
        #expect(
            ValueDifference(from: Mode.waiting(for: "a", since: 1), to: .waiting(for: "a", since: 2)).description == """
                  .waiting(
                    … (1 unchanged)
                -   since: 1
                +   since: 2
                  )
                """
        )
        #expect(
            ValueDifference(from: Mode.idle, to: .running(1)).description == """
                - .idle
                + .running(1)
                """
        )
    }

    @Test("Elements inserted into an array or removed from it take one line each")
    func arrays() {
        func difference(_ old: [Int], _ new: [Int]) -> String { ValueDifference(from: old, to: new).description }
        #expect(
            difference([1, 2, 3, 4], [1, 3, 4, 5]) == """
                  [
                    … (1 unchanged)
                -   [1]: 2
                    … (2 unchanged)
                +   [3]: 5
                  ]
                """
        )
        #expect(
            difference([1, 2, 3], [1, 9, 3]) == """
                  [
                    … (1 unchanged)
                -   [1]: 2
                +   [1]: 9
                    … (1 unchanged)
                  ]
                """
        )
        #expect(
            difference([], [1]) == """
                  [
                +   [0]: 1
                  ]
                """
        )
    }

    @Test("A changed element is compared with its old value")
    func changedElements() {
        let items = [Item(), Item(name: "ink", count: 1), Item(name: "nib", count: 5)]
        #expect(
            text({ $0.items[1].count = 7 }, from: State(items: items)) == """
                  State(
                    … (3 unchanged)
                    items: [
                      … (1 unchanged)
                      [1]: Item(
                        … (1 unchanged)
                -       count: 1
                +       count: 7
                      )
                      … (1 unchanged)
                    ]
                    … (4 unchanged)
                  )
                """
        )
    }

    @Test("The comparison of long arrays is correct and takes bounded time")
    func longArrays() {
        let old = Array(0..<3_000)
        let new = old.map { $0 == 5 || $0 == 2_995 ? -$0 : $0 }
        let difference = ValueDifference(from: old, to: new)
        #expect(difference.lines.filter { $0.kind == .removed }.map(\.text) == ["[5]: 5", "[2995]: 2995"])
        #expect(difference.lines.filter { $0.kind == .added }.map(\.text) == ["[5]: -5", "[2995]: -2995"])
        #expect(ValueDifference(from: old, to: old.reversed()).lines.count == 6_002)
    }

    @Test("Dictionaries and tree dictionaries are compared by key, sets by element")
    func tables() {
        let expected = """
              [
            -   1: "a"
            -   2: "b"
            +   2: "B"
                … (1 unchanged)
            +   4: "d"
              ]
            """
        let old = [1: "a", 2: "b", 3: "c"]
        let new = [2: "B", 3: "c", 4: "d"]
        #expect(ValueDifference(from: old, to: new).description == expected)
        #expect(
            ValueDifference(
                from: TreeDictionary(uniqueKeysWithValues: old.map { ($0, $1) }),
                to: TreeDictionary(uniqueKeysWithValues: new.map { ($0, $1) })
            ).description == expected
        )
        #expect(
            ValueDifference(from: Set([1, 2]), to: Set([2, 3])).description == """
                  [
                -   1
                    … (1 unchanged)
                +   3
                  ]
                """
        )
    }

    @Test("A redactable value is shown as changed, without its old value")
    func redaction() {
        #expect(
            text { $0.password.text = "other" } == """
                  State(
                    … (7 unchanged)
                -   password: <redacted>
                +   password: <redacted>
                  )
                """
        )
    }

    @Test("Large values that are inserted or removed take several lines")
    func largeValues() {
        struct Box: Equatable { var item: Item? }
        let name = String(repeating: "x", count: 70)
        #expect(
            ValueDifference(from: Box(), to: Box(item: Item(name: name, count: 1))).description == """
                  Box(
                -   item: nil
                +   item: Item(
                +     name: "\(name)"
                +     count: 1
                +   )
                  )
                """
        )
        let difference = ValueDifference(from: Box?.none, to: .some(Box()), maximumElements: 1)
        #expect(difference.lines.map(\.kind) == [.removed, .added])
        #expect(ValueDifference(from: [0], to: Array(0..<100)).lines.filter { $0.kind == .added }.count == 99)
    }

    @Test("A deeply nested value that is inserted or removed is not described again at each level")
    func deepValues() {
        struct Leaf: CustomStringConvertible {
            let descriptions: Collector<Void>
            var description: String {
                descriptions.append(())
                return "leaf"
            }
        }
        func numberOfDescriptions(atDepth depth: Int) -> Int {
            let descriptions = Collector<Void>()
            var nested: Any = Leaf(descriptions: descriptions)
            for _ in 0..<depth { nested = (nested, "beside it") }
            let lines = ValueDifference(from: Any?.none, to: .some(nested)).lines
            // The innermost levels share one line; each of the others has three.
            let innermost = #"((((leaf, "beside it"), "beside it"), "beside it"), "beside it")"#
            #expect(lines.filter { $0.text.contains("leaf") }.map(\.text) == [innermost])
            #expect(lines.count == 1 + (depth - 4) * 3 + 1)
            return descriptions.elements.count
        }
        #expect(numberOfDescriptions(atDepth: 200) == numberOfDescriptions(atDepth: 400))
    }

    @Test("Unequal values with equal descriptions are reported as such")
    func unequalButAlike() {
        struct Moody: Equatable, CustomStringConvertible {
            var hidden: Int
            var description: String { "moody" }
        }
        struct Opaque: Equatable {
            static func == (left: Opaque, right: Opaque) -> Bool { false }
        }
        struct Holder: Equatable {
            var value = 1
            var opaque = Opaque()
        }
        #expect(
            ValueDifference(from: [Moody(hidden: 1)], to: [Moody(hidden: 2)]).description == """
                  [
                    [0]: Moody(
                -     hidden: 1
                +     hidden: 2
                    )
                  ]
                """
        )
        #expect(
            ValueDifference(from: Holder(), to: Holder()).description == """
                  Holder(
                    … (1 unchanged)
                    opaque: … (not equal, but no difference is visible)
                  )
                """
        )
    }

    @Test("Entries and elements with equal descriptions are distinguished by their keys")
    func redactedKeys() {
        let cards = (0..<3).map { RedactionTests.Card(number: $0) }
        let old = Dictionary(uniqueKeysWithValues: cards.map { ($0, $0.number * 100) })
        for number in 3..<30 {
            let added = RedactionTests.Card(number: number)
            var new = old
            new[added] = 5
            #expect(
                ValueDifference(from: old, to: new).lines.filter { $0.kind != .note }.map(\.description)
                    == ["  [", "+   <redacted>: 5", "  ]"]
            )
            #expect(
                ValueDifference(from: new, to: old).lines.filter { $0.kind != .note }.map(\.description)
                    == ["  [", "-   <redacted>: 5", "  ]"]
            )
            let lines = ValueDifference(from: Set(cards), to: Set(cards + [added])).lines
            #expect(lines.filter { $0.kind != .note }.map(\.description) == ["  [", "+   <redacted>", "  ]"])
            #expect(
                ValueDifference(
                    from: TreeDictionary(uniqueKeysWithValues: old.map { ($0, $1) }),
                    to: TreeDictionary(uniqueKeysWithValues: new.map { ($0, $1) })
                ).lines.filter { $0.kind == .added || $0.kind == .removed }.map(\.text) == ["<redacted>: 5"]
            )
        }
        let optional: [String?: Int] = [nil: 1, "nil": 2]
        let removed = ValueDifference(from: optional, to: [nil: 1]).lines.filter { $0.kind == .removed }
        #expect(removed.map(\.text) == [#""nil": 2"#])
        var changed = old
        changed[cards[1]] = 7
        let lines = ValueDifference(from: old, to: changed).lines
        #expect(lines.filter { $0.kind == .removed }.map(\.text) == ["<redacted>: 100"])
        #expect(lines.filter { $0.kind == .added }.map(\.text) == ["<redacted>: 7"])
    }

    @Test("Types that are not Equatable are compared by their visible parts, and objects by identity")
    func notEquatable() {
        final class Node {}
        let (old, new) = (Node(), Node())
        #expect(ValueDifference(from: (1, old), to: (1, old)).isEmpty)
        #expect(
            ValueDifference(from: (1, old), to: (1, new)).lines.map(\.text)
                == ["(", "… (1 unchanged)", "… (not equal, but no difference is visible)", ")"]
        )
        #expect(ValueDifference(from: (1, "x"), to: (1, "x")).isEmpty)
    }
}
