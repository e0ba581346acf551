import ActorStore
import Synchronization
import Testing

/// The places of a value in a root, and its neighbours.
@Suite("Values beside the embedded value of a case path", .timeLimit(.minutes(10)))
struct CasePathSurroundingsTests {
    private final class Room: Sendable {
        let name: String
        let guests = Mutex(0)
        init(_ name: String) { self.name = name }
    }

    private final class Label: Equatable, Sendable {
        let text: String
        init(_ text: String) { self.text = text }
        static func == (left: Label, right: Label) -> Bool { left.text == right.text }
    }

    private struct Empty: Sendable {}

    private indirect enum Action: Sendable {
        case room(Room, Int)
        case label(Label, Int)
        case beside(any Sendable, Int)
        case nested(Action)
        case number(Int)
        case tree(Tree, Item)
    }

    private enum Item: Sendable, Equatable { case item(Int) }

    private indirect enum Tree: Sendable {
        case leaf(Int)
        case node(Tree, Tree, Tree, Tree, Tree, Tree)

        static func of(depth: Int) -> Tree {
            if depth == 0 { return .leaf(0) }
            let tree = of(depth: depth - 1)
            return .node(tree, tree, tree, tree, tree, tree)
        }
    }

    @Test("An object beside the embedded value is distinguished from a similar one")
    func objects() {
        let (room, other) = (Room("a"), Room("a"))
        let path = CasePath<Action, Int> { .room(room, $0) }
        #expect(path.extract(from: .room(room, 1)) == 1)
        #expect(path.extract(from: .room(other, 1)) == nil)
    }

    @Test("Equal objects match")
    func equalObjects() {
        let path = CasePath<Action, Int> { .label(Label("a"), $0) }
        #expect(path.extract(from: .label(Label("a"), 1)) == 1)
        #expect(path.extract(from: .label(Label("b"), 1)) == nil)
    }

    @Test("A type, a value of an empty type and a character match themselves, and no other")
    func oddValues() {
        let values: [any Sendable] = [
            Int.self, String.self, Empty(), Character("é"), Character("e\u{301}"), Substring("é"),
        ]
        for (index, value) in values.enumerated() {
            let path = CasePath<Action, Int> { .beside(value, $0) }
            for (other, candidate) in values.enumerated() {
                let expected = index == other ? 1 : nil
                #expect(path.extract(from: .beside(candidate, 1)) == expected, "\(value), \(candidate)")
            }
        }
    }

    @Test("A value is found in many nested cases")
    func depth() {
        let embed: @Sendable (Int) -> Action = { number in
            (0..<40).reduce(.number(number)) { action, _ in .nested(action) }
        }
        #expect(CasePath(embed).extract(from: embed(7)) == 7)
    }

    @Test("A value is found behind a value with more parts than are visited")
    func width() {
        let tree = Tree.of(depth: 4)
        let path = CasePath<Action, Item> { .tree(tree, $0) }
        #expect(path.extract(from: .tree(tree, .item(1))) == .item(1))
    }
}
