import ActorStore
import Testing

@Suite("Case paths", .timeLimit(.minutes(10)))
struct CasePathTests {
    struct Failure: Error, Equatable { var code = 0 }

    enum Inner: Equatable, Sendable { case one, number(Int) }

    indirect enum Action: Sendable {
        case first(Int)
        case second(Int)
        case text(String)
        case renamed(to: String)
        case moved(x: Int)
        case moved(y: Int)
        case pair(Int, String)
        case point(x: Int, y: Int)
        case row(id: Int, action: Inner)
        case maybe(String?)
        case maybeLabelled(it: String?)
        case inner(Inner)
        case nested(Action)
        case failed(any Error)
        case logged(message: any Sendable)
        case run(@Sendable () -> Int)
        case nothing(Void)
        case reset
        case stop
    }

    /// One of each case.
    static let all: [Action] = [
        .first(1), .second(1), .text("a"), .renamed(to: "a"), .moved(x: 1), .moved(y: 1), .pair(1, "a"),
        .point(x: 1, y: 2), .row(id: 1, action: .one), .maybe("a"), .maybeLabelled(it: "a"), .inner(.number(1)),
        .nested(.first(1)), .failed(Failure()), .logged(message: 1), .run { 1 }, .nothing(()), .reset, .stop,
    ]

    /// The places in `all` of the cases that a path matches.
    private func matches<Value>(_ path: CasePath<Action, Value>) -> [Int] {
        Self.all.indices.filter { path.extract(from: Self.all[$0]) != nil }
    }

    @Test("A path from a case matches that case and no other")
    func noFalsePositives() {
        #expect(matches(CasePath(Action.first)) == [0])
        #expect(matches(CasePath(Action.second)) == [1])
        #expect(matches(CasePath(Action.text)) == [2])
        #expect(matches(CasePath(Action.renamed)) == [3])
        #expect(matches(CasePath(Action.moved(x:))) == [4])
        #expect(matches(CasePath(Action.moved(y:))) == [5])
        #expect(matches(CasePath(Action.pair)) == [6])
        #expect(matches(CasePath(Action.point)) == [7])
        #expect(matches(CasePath(Action.row)) == [8])
        #expect(matches(CasePath(Action.maybe)) == [9])
        #expect(matches(CasePath(Action.maybeLabelled)) == [10])
        #expect(matches(CasePath(Action.inner)) == [11])
        #expect(matches(CasePath(Action.nested)) == [12])
        #expect(matches(CasePath(Action.failed)) == [13])
        #expect(matches(CasePath(Action.logged)) == [14])
        #expect(matches(CasePath(Action.nothing)) == [16])
        #expect(matches(CasePath(case: Action.reset)) == [17])
        #expect(matches(CasePath(case: Action.stop)) == [18])
    }

    @Test("An embedded value is extracted, with one value or several, labelled or not")
    func values() {
        #expect(CasePath(Action.first).extract(from: .first(7)) == 7)
        #expect(CasePath(Action.renamed).extract(from: .renamed(to: "b")) == "b")
        #expect(CasePath(Action.pair).extract(from: .pair(7, "b"))! == (7, "b"))
        let point: CasePath<Action, (x: Int, y: Int)> = CasePath(Action.point)
        #expect(point.extract(from: .point(x: 3, y: 4))! == (3, 4))
        let row: CasePath<Action, (id: Int, action: Inner)> = CasePath(Action.row)
        #expect(row.extract(from: row.embed((id: 7, action: .number(2))))?.action == .number(2))
        let labelled: CasePath<Action, (number: Int, text: String)> = CasePath(Action.pair)
        #expect(labelled.extract(from: .pair(7, "b"))?.text == "b")
        #expect(CasePath(Action.inner).extract(from: .inner(.one)) == .one)
        let run = CasePath(embed: Action.run) { if case .run(let body) = $0 { body } else { nil } }
        #expect(run.extract(from: .run { 9 })?() == 9)
    }

    @Test("A value in nested cases is extracted, and from no other root")
    func embeddedDeeply() {
        let number = CasePath<Action, Int> { .inner(.number($0)) }
        #expect(number.extract(from: .inner(.number(7))) == 7)
        #expect(matches(number) == [11])
        let first = CasePath<Action, Int> { .nested(.nested(.first($0))) }
        #expect(first.extract(from: .nested(.nested(.first(7)))) == 7)
        #expect(first.extract(from: .nested(.nested(.second(7)))) == nil)
        #expect(first.extract(from: .nested(.first(7))) == nil && matches(first).isEmpty)
        let message = CasePath<Action, String> { .nested(.maybe($0)) }
        #expect(message.extract(from: .nested(.maybe("b"))) == "b")
        #expect(message.extract(from: .nested(.maybe(nil))) == nil)
    }

    @Test("A value among others is extracted only if the others equal those of the embedding")
    func embeddedAmongOthers() {
        let row = CasePath<Action, Inner> { .row(id: 7, action: $0) }
        #expect(row.extract(from: .row(id: 7, action: .number(2))) == .number(2))
        #expect(row.extract(from: .row(id: 8, action: .number(2))) == nil && matches(row).isEmpty)
        let inRow = CasePath<Action, Int> { .row(id: 1, action: .number($0)) }
        #expect(inRow.extract(from: .row(id: 1, action: .number(1))) == 1)
        #expect(inRow.extract(from: .row(id: 2, action: .number(1))) == nil)
        #expect(inRow.extract(from: .row(id: 1, action: .one)) == nil)
        let point = CasePath<Action, Int> { .point(x: $0, y: 0) }
        #expect(point.extract(from: .point(x: 7, y: 0)) == 7)
        #expect(point.extract(from: .point(x: 7, y: 7)) == nil && point.extract(from: .point(x: 0, y: 7)) == nil)
    }

    @Test("A value of its container's type is extracted at its place, also after a value of another place")
    func embeddedInItsOwnType() {
        let inner = CasePath<Action, Action> { .nested(.nested($0)) }
        for _ in 0..<2 {
            #expect(inner.extract(from: .nested(.first(1))) == nil)
            #expect(inner.extract(from: .nested(.nested(.first(2)))).flatMap(CasePath(Action.first).extract) == 2)
        }
        let logged = CasePath<Action, any Sendable> { .nested(.logged(message: $0)) }
        for _ in 0..<2 {
            #expect(logged.extract(from: .nested(.reset)) == nil)
            #expect(logged.extract(from: .nested(.logged(message: 3))) as? Int == 3)
        }
    }

    @Test("A value changed by its embedding is extracted only where that changes nothing")
    func changedValues() {
        let doubled = CasePath<Action, Int> { .first($0 * 2) }
        #expect(doubled.extract(from: .first(0)) == 0)
        #expect(doubled.extract(from: .first(3)) == nil && doubled.extract(from: .first(4)) == nil)
        #expect(doubled.extract(from: doubled.embed(1)) == nil)
    }

    @Test("A path from a root to itself is found; a path to a case matches no root unequal to itself")
    func identities() {
        #expect(CasePath<Action, Action> { $0 }.extract(from: .first(7)).flatMap(CasePath(Action.first).extract) == 7)
        let measured = CasePath<Reading, Reading> { .nested($0) }
        #expect(measured.extract(from: .celsius(.nan)) == nil)
        guard case .celsius(let value)? = measured.extract(from: .nested(.celsius(.nan))) else {
            Issue.record("An indirect case with a not-a-number in it was not found.")
            return
        }
        #expect(value.isNaN)
    }

    indirect enum Reading: Sendable, Equatable { case celsius(Double), nested(Reading) }

    enum SecretAction: Redactable, Sendable {
        case row(id: Secret, action: Inner)
        case numbers([Int: Unequal], Int)
        case object(Object, Int)
        case chain(Chain, Int)
    }

    /// A list of nodes that cannot be compared.
    indirect enum Chain: Sendable {
        case end
        case node(Chain)

        init(length: Int) {
            self = .end
            for _ in 0..<length { self = .node(self) }
        }
    }

    struct Secret: Redactable, Sendable { var text: String }

    struct Unequal: Sendable { var values: [String] }

    final class Object: Sendable {
        let unequal: Unequal
        init(_ text: String) { unequal = Unequal(values: [text]) }
    }

    /// Neighbours with equal descriptions, or without visible contents.
    enum Odd: Sendable {
        case moved(from: Named, to: Named)
        case point(Double, Double)
        case text(String, String)
        case any(any Sendable)
        case hidden(Hidden)
        indirect case nested(Odd)
    }

    struct Named: Equatable, Sendable {
        var id: Int
        var name: String
        static func == (left: Named, right: Named) -> Bool { left.id == right.id }
    }

    /// It has padding between its parts, and shows none of them.
    struct Hidden: Sendable, CustomReflectable {
        var flag: Bool
        var id: Int
        var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    struct NeverEqual: Equatable, Sendable {
        static func == (left: NeverEqual, right: NeverEqual) -> Bool { false }
    }

    @Test("A value is extracted from its own place, also if a neighbour equals it without being identical")
    func constants() {
        let moved = CasePath<Odd, Named> { .moved(from: Named(id: 1, name: "old"), to: $0) }
        let point = CasePath<Odd, Double> { .point(0, $0) }
        let text = CasePath<Odd, String> { .text("\u{e9}", $0) }
        for _ in 0..<2 {
            #expect(moved.extract(from: moved.embed(Named(id: 1, name: "new")))?.name == "new")
            #expect(point.extract(from: point.embed(-0.0))?.sign == .minus)
            #expect(text.extract(from: text.embed("e\u{301}"))?.unicodeScalars.count == 2)
        }
        #expect(moved.extract(from: .moved(from: Named(id: 2, name: "old"), to: Named(id: 1, name: "new"))) == nil)
    }

    @Test("Opaque values, and values equal to nothing, are extracted from their own case")
    func opaqueValues() {
        let any = CasePath(Odd.any)
        let hidden = CasePath(Odd.hidden)
        let nested = CasePath<Odd, Hidden> { .nested(.hidden($0)) }
        for flag in [true, false] {
            #expect((any.extract(from: .any(Double.nan)) as? Double)?.isNaN == true)
            #expect(any.extract(from: .any(NeverEqual())) is NeverEqual)
            #expect(any.extract(from: .any(Hidden(flag: flag, id: 3))) is Hidden)
            #expect(any.extract(from: .any("a")) as? String == "a")
            #expect(hidden.extract(from: .hidden(Hidden(flag: flag, id: 3)))?.id == 3)
            #expect(nested.extract(from: .nested(.hidden(Hidden(flag: flag, id: 4))))?.id == 4)
            #expect(nested.extract(from: .nested(.any(1))) == nil)
        }
    }

    /// Equal to every value with the same tap.
    indirect enum Delayed: Sendable, Equatable {
        case delayed(Delayed)
        case tap(Int)

        var innermost: Int {
            var action = self
            while case .delayed(let inner) = action { action = inner }
            return if case .tap(let id) = action { id } else { 0 }
        }

        static func == (left: Delayed, right: Delayed) -> Bool { left.innermost == right.innermost }
    }

    @Test("A case of a recursive enum is distinguished by name, at any depth and with any equality")
    func recursiveRoots() {
        let delayed = CasePath(Delayed.delayed)
        var action = Delayed.tap(1)
        #expect(delayed.extract(from: action) == nil)
        for depth in 1..<500 {
            let inner = action
            action = .delayed(inner)
            guard case .delayed? = delayed.extract(from: .delayed(action)),
                depth > 1 || delayed.extract(from: action) == inner
            else {
                Issue.record("The action at depth \(depth) was not found.")
                return
            }
        }
        if case .tap? = delayed.extract(from: .delayed(.tap(1))) {} else { Issue.record("It was another action.") }
    }

    @Test("A case without values of an existential root is distinguished from another enum's")
    func casesOfProtocolTypes() {
        enum First: Sendable { case one, two }
        enum Second: Sendable { case one }
        let path = CasePath<any Sendable, Void>(case: First.one)
        #expect(path.extract(from: First.one) != nil)
        #expect(path.extract(from: First.two) == nil && path.extract(from: Second.one) == nil)
    }

    @Test("Values without equality are compared by their parts, parts hidden from descriptions included")
    func incomparableOthers() {
        let row = CasePath<SecretAction, Inner> { .row(id: Secret(text: "7"), action: $0) }
        #expect(row.extract(from: .row(id: Secret(text: "7"), action: .number(1))) == .number(1))
        #expect(row.extract(from: .row(id: Secret(text: "8"), action: .number(1))) == nil)
        let entries = (0..<100).map { ($0, Unequal(values: ["\($0)"])) }
        let numbers = CasePath<SecretAction, Int> { .numbers(Dictionary(uniqueKeysWithValues: entries), $0) }
        var others = Dictionary(uniqueKeysWithValues: entries.reversed())
        #expect(numbers.extract(from: .numbers(others, 1)) == 1)
        others[7]?.values = []
        #expect(numbers.extract(from: .numbers(others, 1)) == nil)
        let object = Object("a")
        let path = CasePath<SecretAction, Int> { .object(object, $0) }
        #expect(path.extract(from: .object(object, 2)) == 2)
        #expect(path.extract(from: .object(Object("a"), 2)) == nil)
        for (length, isFound) in [(25, true), (500, false)] {
            let chain = CasePath<SecretAction, Int> { .chain(Chain(length: length), $0) }
            #expect((chain.extract(from: .chain(Chain(length: length), 2)) == 2) == isFound, "\(length) nodes")
            #expect(chain.extract(from: .chain(Chain(length: length + 1), 2)) == nil, "\(length) nodes")
        }
    }

    @Test("Optional values are extracted, nil or not, and differ from no match")
    func optionals() {
        #expect(CasePath(Action.maybe).extract(from: .maybe("b")) == .some("b"))
        #expect(CasePath(Action.maybe).extract(from: .maybe(nil)) == .some(nil))
        #expect(CasePath(Action.maybeLabelled).extract(from: .maybeLabelled(it: nil)) == .some(nil))
        #expect(CasePath(Action.maybe).extract(from: .text("b")) == nil)
        // Strings are implicitly cast to optional strings.
        #expect(CasePath(Action.text).extract(from: .maybe("b")) == nil)
    }

    @Test("Existential values are extracted, labelled or not")
    func existentials() {
        #expect(CasePath(Action.failed).extract(from: .failed(Failure(code: 3))) as? Failure == Failure(code: 3))
        #expect(CasePath(Action.logged).extract(from: .logged(message: "b")) as? String == "b")
        #expect(CasePath(Action.logged).extract(from: .logged(message: (1, 2))) as? (Int, Int) != nil)
    }

    @Test("Indirect cases and nested enums are extracted")
    func indirection() {
        let nested = CasePath(Action.nested).extract(from: .nested(.nested(.first(7))))
        #expect(nested.flatMap(CasePath(Action.nested).extract).flatMap(CasePath(Action.first).extract) == 7)
    }

    @Test("Paths can be appended")
    func appending() {
        let path = CasePath(Action.inner).appending(path: CasePath(Inner.number))
        #expect(path.extract(from: path.embed(7)) == 7)
        #expect(path.extract(from: .inner(.one)) == nil)
        #expect(path.extract(from: .first(7)) == nil)
        let reset = CasePath(Action.nested).appending(path: CasePath(case: Action.reset))
        #expect(reset.extract(from: .nested(.reset)) != nil)
        #expect(reset.extract(from: .nested(.stop)) == nil)
    }

    @Test("A case without values has a path to Void, compared by name or, if possible, by equality")
    func withoutValues() {
        enum Described: Equatable, CustomStringConvertible {
            case on, off, level(Int)
            var description: String { "always the same" }
        }
        let off = CasePath(case: Described.off)
        #expect(off.extract(from: .off) != nil)
        #expect(off.extract(from: .on) == nil && off.extract(from: .level(1)) == nil)
        #expect(off.embed(()) == .off)
        let stop = CasePath(case: Action.stop)
        guard case .stop = stop.embed(()) else {
            Issue.record("Not embedded")
            return
        }
    }

    @Test("Optionals have paths to their wrapped value, and every type has one to itself")
    func someAndIdentity() {
        let some: CasePath<Int?, Int> = .some
        #expect(some.extract(from: 7) == 7 && some.extract(from: nil) == nil && some.embed(7) == 7)
        #expect(CasePath(Int?.some).extract(from: 7) == 7 && CasePath(Int?.some).extract(from: nil) == nil)
        #expect(CasePath<Int, Int>.identity.extract(from: 7) == 7)
    }

    @Test("A value is modified within its root without a copy, also when the body throws")
    func modify() {
        enum Loading: Sendable { case idle, loaded([Int]) }
        let path = CasePath(embed: Loading.loaded) { if case .loaded(let items) = $0 { items } else { nil } }
        var root = Loading.loaded(Array(0..<1_000))
        func address(_ items: [Int]) -> UnsafeRawPointer? { items.withUnsafeBytes { $0.baseAddress } }
        let before = path.extract(from: root).map(address)
        #expect(
            path.modify(&root) { items in
                items[0] = 7
                return items.count
            } == 1_000
        )
        #expect(throws: Failure.self) {
            try path.modify(&root) { items in
                items[1] = 8
                throw Failure()
            }
        }
        #expect(path.extract(from: root).map(address) == before)
        #expect(path.extract(from: root)?.prefix(2) == [7, 8])
        var idle = Loading.idle
        #expect(path.modify(&idle) { $0.count } == nil)
        guard case .idle = idle else {
            Issue.record("Changed")
            return
        }
    }
}
