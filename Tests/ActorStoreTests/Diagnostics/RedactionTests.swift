import ActorStore
import ActorStoreCommands
import ActorStoreInstruments
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Redaction", .timeLimit(.minutes(10)))
struct RedactionTests {
    struct Password: Redactable, Hashable, Sendable, Identifiable {
        let text = "SECRET"
        var id: Password { self }
    }
    struct Card: Redactable, Hashable, Sendable {
        let number: Int
    }
    struct Refused: Error {
        var reason = "too short"
        let password = Password()
    }
    enum Action: Sendable {
        case signIn(user: String, Password)
        case start(Effect<Action>)
    }

    private let secret = Action.signIn(user: "ada", Password())

    private func store() -> Store<Int, Action> {
        Store(
            initialState: 0,
            reducer: Reduce { _, action in if case .start(let effect) = action { effect } else { .none } }
        )
    }

    @Test("The description of an effect identity omits redactable values")
    func identities() {
        struct Key: Hashable { var name = "a", password = Password() }
        #expect("\(EffectID("search"))" == "search")
        #expect("\(EffectID(Character("c"))) \(EffectID(7)) \(EffectID("search".dropFirst()))" == "c 7 earch")
        #expect("\(EffectID(Password()))" == "<redacted>")
        #expect("\(EffectID([Password()]))" == "[<redacted>]")
        #expect("\(EffectID(Password?.some(Password())))" == "<redacted>")
        #expect("\(EffectID(Key()))" == #"Key(name: "a", password: <redacted>)"#)
        #expect("\(EffectID(EffectID(Password())))" == "<redacted>")
    }

    @Test("The error of a missing child describes its action and identity, and omits redactable values")
    func missingChildren() async throws {
        enum Parent: Sendable {
            case child(Action)
            case row(id: Password, action: Action)
        }
        struct State: Sendable {
            var child: Int?
            var rows = TreeDictionary<Password, Int>()
        }
        struct Child: Reducer {
            func reduce(into state: inout Int, action: Action) -> Effect<Action> { .none }
        }
        let store = Store(
            initialState: State(),
            reducer: Reduce<State, Parent> { _, _ in .none }
                .ifLet(\.child, action: CasePath(Parent.child)) { Child() }
                .forEach(\.rows, action: CasePath(Parent.row)) { Child() }
        )
        let errors = store.errors
        try await store.dispatch(.child(secret))
        try await store.dispatch(.row(id: Password(), action: secret))
        let errorTexts = try await errors.first(2).map { "\($0.error)" }
        #expect(errorTexts[0].contains(#"The action child(.signIn(user: "ada", <redacted>)) was sent to"#))
        #expect(
            errorTexts[1].contains(
                #"The action row(id: <redacted>, action: .signIn(user: "ada", <redacted>)) was sent to"#
            )
        )
        #expect(errorTexts[1].contains("no element with the identity <redacted>."))
    }

    @Test("The error of another store's asynchronous action describes the action, and omits redactable values")
    func mismatchedAsyncActions() async throws {
        struct SignIn: AsyncAction {
            let user = "ada", password = Password()
            func run(_ send: Send<Int>) async throws {}
        }
        let store = Store(initialState: 0, reducer: AsyncActions<Int, any Sendable>())
        let errors = store.errors
        try await store.dispatch(SignIn())
        let error = try #require(try await errors.first(1).first?.error)
        #expect("\(error)".contains(#"The work of SignIn(user: "ada", password: <redacted>) was not started"#))
    }

    @Test("A failure names the thrown error and its effect, and omits redactable values")
    func failures() async throws {
        let store = store()
        let errors = store.errors
        try await store.dispatch(.start(.run(id: Password()) { _ in throw Refused() }))
        let failure = try #require(try await errors.first(1).first)
        #expect("\(failure)".hasPrefix(#"The effect "<redacted>" at "#))
        #expect("\(failure)".hasSuffix(#"failed: Refused(reason: "too short", password: <redacted>)"#))
        #expect(EffectFailure(Refused()).message == #"Refused(reason: "too short", password: <redacted>)"#)
        #expect("\(StorePhase.failed(Refused()))" == #"failed: Refused(reason: "too short", password: <redacted>)"#)
    }

    @Test("An error with a description of its own is printed with that description, line breaks included")
    func ownWords() {
        struct Described: Error, CustomStringConvertible {
            let description = "first\nsecond"
        }
        #expect(EffectFailure(Described()).message == "first\nsecond")
        #expect(EffectFailure(StoreError.shutDown).message == StoreError.shutDown.description)
    }

    @Test("A trace describes actions, effects and their errors, and omits redactable values")
    func traces() async throws {
        let text = Collector<String>()
        let trace = ChromeTraceInstrument { text.append($0) }
        let store = store()
        store.use(trace)
        let errors = store.errors
        try await store.dispatch(secret)
        try? await store.dispatch(.start(.run(id: Password()) { _ in throw Refused() })).finish()
        _ = try await errors.first(1)
        trace.finish()
        let written = text.elements.joined()
        #expect(written.contains("<redacted>") && written.contains("too short") && !written.contains("SECRET"))
    }

    @Test("The list of observers shows the key of an observed entry, and omits redactable values")
    func observers() async {
        struct State: Sendable {
            var counts = TreeDictionary<Password, Int>()
            var names = TreeDictionary<String, Int>()
        }
        let store = Store(initialState: State(), reducer: Reduce<State, Int> { _, _ in .none })
        let observations = [
            store.observe(.entry(of: \.counts, key: Password())) { _ in },
            store.observe(.entry(of: \.names, key: "ada")) { _ in },
        ]
        let subjects = await store.observerRecords.map(\.subject)
        #expect(subjects.contains { $0.hasSuffix("counts[<redacted>]") })
        #expect(subjects.contains { $0.hasSuffix("names[ada]") })
        for observation in observations { observation.cancel() }
    }

    @Test("The description of a tree dictionary lists keys and values, and omits redactable values")
    func keysAndValues() {
        let table = TreeDictionary(uniqueKeysWithValues: [(Password(), 1)])
        let numbers = TreeDictionary(uniqueKeysWithValues: [(1, Password())])
        #expect(ValueDescription(of: table.keys).line == "[<redacted>]")
        #expect(ValueDescription(of: table.values).line == "[1]")
        #expect(ValueDescription(of: numbers.values).line == "[<redacted>]")
    }

    /// Types of the standard library, which are described by their contents.
    private struct Key: Redactable, Hashable, Comparable, CustomStringConvertible {
        var text = "SECRET"
        var description: String { text }

        static func < (left: Key, right: Key) -> Bool { left.text < right.text }
    }

    @Test("A type of the standard library that contains a redactable value is described by its contents")
    func standardLibrary() {
        struct Pair: Hashable, Comparable {
            var number = 1, key = Key()

            static func < (left: Pair, right: Pair) -> Bool { left.number < right.number }
        }
        let key = Key()
        let unencodable = EncodingError.invalidValue([key], .init(codingPath: [], debugDescription: "no"))
        let cause = DecodingError.Context(codingPath: [], debugDescription: "no", underlyingError: Refused())
        let values: [(Any, String)] = [
            (key..<key, "Range<Key>(lowerBound: <redacted>, upperBound: <redacted>)"),
            (key...key, "ClosedRange<Key>(lowerBound: <redacted>, upperBound: <redacted>)"),
            (
                Pair()...Pair(),
                """
                ClosedRange<Pair>(lowerBound: Pair(number: 1, key: <redacted>), \
                upperBound: Pair(number: 1, key: <redacted>))
                """
            ),
            (["a": key] as KeyValuePairs, #"KeyValuePairs<String, Key>(_elements: [("a", <redacted>)])"#),
            (CollectionOfOne(key), "CollectionOfOne<Key>(element: <redacted>)"),
            (AnyHashable([key]), "AnyHashable(value: [<redacted>])"),
            (AnyHashable([AnyHashable([key])]), "AnyHashable(value: [AnyHashable(value: [<redacted>])])"),
            ([key: 1].keys, "[<redacted>]"),
            ([1: key].values, "[<redacted>]"),
            (
                unencodable,
                #"invalidValue([<redacted>], Context(codingPath: [], debugDescription: "no", underlyingError: nil))"#
            ),
            (
                DecodingError.dataCorrupted(cause),
                """
                dataCorrupted(Context(codingPath: [], debugDescription: "no", \
                underlyingError: Refused(reason: "too short", password: <redacted>)))
                """
            ),
        ]
        for (value, text) in values { #expect(ValueDescription(of: value).line == text) }
        #expect("\(EffectID(key...key))" == "ClosedRange<Key>(lowerBound: <redacted>, upperBound: <redacted>)")
        #expect(EffectFailure(unencodable).message.hasPrefix("invalidValue([<redacted>], "))
        #expect("\(StorePhase.failed(unencodable))".hasPrefix("failed: invalidValue([<redacted>], "))
    }

    @Test(
        "A value beside a redactable one is visited once, however many standard library types are around it"
    )
    func deepStandardLibrary() {
        struct Plain: Hashable, CustomReflectable {
            let mirrors: Collector<Void>
            var customMirror: Mirror {
                mirrors.append(())
                return Mirror(self, children: [])
            }

            static func == (left: Plain, right: Plain) -> Bool { true }

            func hash(into hasher: inout Hasher) {}
        }
        func numberOfMirrors(atDepth depth: Int) -> Int {
            let mirrors = Collector<Void>()
            var nested = AnyHashable([AnyHashable(Plain(mirrors: mirrors)), AnyHashable(Password())])
            for _ in 0..<depth { nested = AnyHashable([nested, AnyHashable(1...4)]) }
            let line = ValueDescription(of: nested).line
            #expect(line.contains("<redacted>") && line.contains("1...4"))
            return mirrors.elements.count
        }
        #expect(numberOfMirrors(atDepth: 10) == numberOfMirrors(atDepth: 20))
    }

    @Test("A type of the standard library without redactable values keeps its own description")
    func standardLibraryInItsOwnWords() {
        struct Named: Hashable, Comparable, CustomStringConvertible {
            let password = Password()
            let description = "a name"

            static func < (left: Named, right: Named) -> Bool { false }
        }
        let unencodable = EncodingError.invalidValue(7, .init(codingPath: [], debugDescription: "no"))
        #expect("\(EffectID(1..<5)) \(EffectID(1...4)) \(EffectID(Duration.seconds(2)))" == "1..<5 1...4 2.0 seconds")
        #expect(ValueDescription(of: 1..<5).line == "Range(1..<5)")
        #expect(ValueDescription(of: ["a": 1] as KeyValuePairs).line == #"["a": 1]"#)
        #expect(ValueDescription(of: AnyHashable([1])).line == "AnyHashable([1])")
        #expect(ValueDescription(of: [2: 0, 1: 0].keys).line == "[1, 2]")
        #expect(ValueDescription(of: [0: 2, 1: 2, 2: 1].values).line == "[1, 2, 2]")
        #expect(EffectFailure(unencodable).message == "\(unencodable)")
        // A custom description is used unchanged.
        #expect("\(EffectID(Named()...Named()))" == "a name...a name")
    }
}
