import ActorStore
import Testing

@testable import TestFixtures

/// The comparison of bytes before `==` must never hide a change.
@Suite("The byte filter", .timeLimit(.minutes(10)))
struct ByteFilterTests {
    private protocol Shape: Sendable { var area: Double { get } }
    private struct Square: Shape {
        var side = 1.0
        var name = "a name that makes it too large for the bytes of an existential"
        var area: Double { side * side }
    }

    private struct AnyShape: Equatable, Sendable {
        var shape: any Shape
        static func == (left: Self, right: Self) -> Bool { left.shape.area == right.shape.area }
    }

    private enum Payload: Equatable, Sendable {
        case none
        case number(Int)
        case text(String, Int)
        indirect case nested(Payload)
    }

    /// A byte, padding, and a word.
    private struct Padded: Equatable, Sendable {
        var flag = false
        var word = 0
    }

    private final class Account: Equatable, Sendable {
        let balance: Int
        init(_ balance: Int) { self.balance = balance }
        static func == (left: Account, right: Account) -> Bool { left.balance == right.balance }
    }

    private struct State: Sendable {
        var array = [1, 2, 3]
        var dictionary = ["a": [1]]
        var set: Set<Int> = [1]
        var text = "a text that does not fit into the bytes of a string itself"
        var optional: [Int]?
        var payload = Payload.none
        var shape = AnyShape(shape: Square())
        var padded = Padded()
        var account = Account(1)
        var zero = 0.0
        var nan = Double.nan
        var flag = false
        var void: NoBytes = NoBytes()
        @Doubled var wrapped = 1
        var observed = 0 { didSet { changes += 1 } }
        var changes = 0
        var first: Int { array.first ?? 0 }
    }

    private struct NoBytes: Equatable, Sendable {}

    @propertyWrapper
    private struct Doubled: Equatable, Sendable {
        private var half = 0
        var wrappedValue: Int {
            get { half * 2 }
            set { half = newValue / 2 }
        }
        init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
    }

    /// Observes a part, runs the steps, and returns all delivered values after the first one.
    private func told<Part: Equatable & Sendable>(
        of keyPath: KeyPath<State, Part> & Sendable,
        _ steps: [@Sendable (inout State) -> Void]
    ) -> [Part] {
        let store = Store(initialState: State()) { (state: inout State, step: Int) in steps[step](&state) }
        let values = Collector<Part>()
        let token = store.observe(keyPath) { values.append($0) }
        for step in steps.indices { store.send(step) }
        token.cancel()
        return Array(values.elements.dropFirst())
    }

    @Test("Repeated in-place changes of collections are all detected")
    func inPlace() {
        #expect(told(of: \.array, (0..<50).map { step in { $0.array[1] = step + 100 } }).count == 50)
        #expect(told(of: \.dictionary, (0..<50).map { step in { $0.dictionary["a"]?.append(step) } }).count == 50)
        #expect(told(of: \.set, (0..<50).map { step in { $0.set.insert(step + 100) } }).count == 50)
        #expect(told(of: \.text, (0..<50).map { step in { $0.text.append("x") } }).count == 50)
        #expect(
            told(of: \.optional, (0..<50).map { step in { $0.optional = ($0.optional ?? []) + [step] } }).count == 50
        )
    }

    @Test("A collection changed and changed back within an action is unchanged")
    func changedBack() {
        let steps: [@Sendable (inout State) -> Void] = [
            { state in
                state.array.append(4)
                state.array.removeLast()
            }
        ]
        #expect(told(of: \.array, steps) == [])
    }

    @Test("Changes of enumerations, optionals, existentials and objects are detected")
    func otherKinds() {
        #expect(
            told(
                of: \.payload,
                [
                    { $0.payload = .number(1) }, { $0.payload = .text("a", 1) }, { $0.payload = .text("a", 2) },
                    { $0.payload = .nested(.number(1)) }, { $0.payload = .nested(.number(2)) }, { $0.payload = .none },
                ]
            )
            .count == 6
        )
        #expect(told(of: \.optional, [{ $0.optional = [] }, { $0.optional = nil }]) == [[], nil])
        let areas = told(
            of: \.shape,
            (2..<30).map { side in { $0.shape = AnyShape(shape: Square(side: Double(side))) } }
        )
        #expect(areas.count == 28)
        #expect(told(of: \.account, [{ $0.account = Account(1) }, { $0.account = Account(2) }]).map(\.balance) == [2])
    }

    @Test("Different bytes alone are no change: padding, zeros, and a part written with its old value")
    func differentBytes() {
        #expect(told(of: \.zero, [{ $0.zero = -0.0 }, { $0.zero = 0.0 }]) == [])
        #expect(told(of: \.padded, [{ $0.padded = Padded() }, { $0.padded.flag = true }]) == [Padded(flag: true)])
        #expect(told(of: \.array, [{ $0.array = [1, 2, 3].map { $0 } }]) == [])
        #expect(told(of: \.text, [{ $0.text = String($0.text.map { $0 }) }]) == [])
    }

    @Test("A persistent NaN is no change")
    func notANumber() {
        #expect(told(of: \.nan, [{ $0.flag.toggle() }, { $0.flag.toggle() }]).isEmpty)
        #expect(told(of: \.nan, [{ $0.nan = 1 }]) == [1])
    }

    @Test("Changes of parts of all sizes are detected, a part without bytes never changes")
    func sizes() {
        #expect(told(of: \.flag, [{ $0.flag = true }, { $0.flag = true }, { $0.flag = false }]) == [true, false])
        #expect(told(of: \.padded.word, [{ $0.padded.word = 1 }, { $0.padded.flag = true }]) == [1])
        #expect(told(of: \.void, [{ $0.void = NoBytes() }, { $0.flag = true }]).isEmpty)
    }

    @Test("Nested, computed, chained, subscripted, wrapped and didSet paths are compared by value")
    func otherPaths() {
        #expect(told(of: \.first, [{ $0.array[0] = 9 }, { $0.array[1] = 9 }]) == [9])
        #expect(told(of: \.array[1], [{ $0.array[0] = 9 }, { $0.array[1] = 9 }]) == [9])
        #expect(
            told(of: \.optional?.count, [{ $0.optional = [1] }, { $0.optional = [2] }, { $0.optional = nil }]) == [
                1, nil,
            ]
        )
        #expect(told(of: \.wrapped, [{ $0.wrapped = 8 }, { $0.wrapped = 9 }]) == [8])
        #expect(told(of: \.observed, [{ $0.observed = 1 }, { $0.changes = 7 }]) == [1])
        #expect(told(of: \.dictionary["a"], [{ $0.dictionary["b"] = [] }, { $0.dictionary["a"] = [2] }]) == [[2]])
    }

    @Test("Observers of overlapping parts are notified of their own parts only")
    func overlappingParts() {
        let store = Store(initialState: State()) { (state: inout State, word: Int) in state.padded.word = word }
        let log = Collector<String>()
        let tokens = [
            store.observe(\.padded) { log.append("padded \($0.word)") },
            store.observe(\.padded.word) { log.append("word \($0)") },
            store.observe(\.padded.flag) { log.append("flag \($0)") },
        ]
        store.send(5)
        #expect(log.elements == ["padded 0", "word 0", "flag false", "padded 5", "word 5"])
        withExtendedLifetime(tokens) {}
    }
}
