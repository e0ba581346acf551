import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Default states", .timeLimit(.minutes(10)))
struct DefaultStateTests {
    struct Shelf: DefaultInitializable, Equatable, Sendable { var books = ["one"] }

    @Test("A default-initialisable state need not be given, and no action is needed to begin")
    func defaultState() async throws {
        let store = Store(
            reducer: Reduce<Shelf, String> { shelf, book in shelf.books.append(book) }
        )
        #expect(store.snapshot == Shelf() && store.revision == 0)
        try await store.dispatch("two")
        #expect(store.snapshot.books == ["one", "two"])
    }

    @Test("A loaded state replaces the default one")
    func loadedState() async throws {
        let store = Store(
            loading: { Shelf(books: ["loaded"]) },
            reducer: Reduce<Shelf, String> { shelf, book in shelf.books.append(book) }
        )
        try await store.dispatch("two")
        #expect(store.snapshot.books == ["loaded", "two"])
    }
    @MainActor
    @Test("Code isolated to the main actor gives a store its dependencies")
    func dependenciesOnMainActor() async throws {
        let reducer = Reduce<Shelf, String> { shelf, book in shelf.books.append(book) }
        let stores = [
            Store(initialState: Shelf(), reducer: reducer, dependencies: { values, _ in values.number = 7 }),
            Store(loading: { Shelf() }, reducer: reducer, dependencies: { values, _ in values.number = 7 }),
            Store(
                initialState: Shelf(),
                loading: { Shelf() },
                reducer: reducer,
                dependencies: { values, _ in values.number = 7 }
            ),
        ]
        for store in stores { try await store.dispatch("two") }
        #expect(stores.allSatisfy { $0.snapshot.books == ["one", "two"] })
        let commands = CommandStore<Shelf>(loading: { Shelf() }, dependencies: { values, _ in values.number = 7 })
        try await commands.ready()
        #expect(commands.snapshot == Shelf())
    }

    @Test("The snapshot is the default state until the loading has ended")
    func snapshotWhileLoading() async throws {
        let latch = Latch()
        let store = Store(
            loading: {
                await latch.wait()
                return Shelf(books: ["loaded"])
            },
            reducer: Reduce<Shelf, String> { shelf, book in shelf.books.append(book) }
        )
        #expect(store.send("two") == .accepted)
        #expect(store.snapshot == Shelf() && store.revision == 0)
        latch.open()
        #expect(await store.state == Shelf(books: ["loaded", "two"]))
        #expect(store.snapshot == Shelf(books: ["loaded", "two"]))
    }
}
