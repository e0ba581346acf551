import ActorStore
import Testing

@Suite("States that can be made without arguments", .timeLimit(.minutes(10)))
struct DefaultStateTests {
    struct Shelf: DefaultInitializable, Equatable, Sendable { var books = ["one"] }

    @Test("A state that can be made without arguments need not be given, and no action is needed to begin")
    func defaultState() async throws {
        let store = Store(
            reducer: Reduce<Shelf, String> { shelf, book in shelf.books.append(book) }
        )
        #expect(store.snapshot == Shelf() && store.revision == 0)
        try await store.dispatch("two")
        #expect(store.snapshot.books == ["one", "two"])
    }

    @Test("A state that is loaded takes the place of the one that is made without arguments")
    func loadedState() async throws {
        let store = Store(
            loading: { Shelf(books: ["loaded"]) },
            reducer: Reduce<Shelf, String> { shelf, book in shelf.books.append(book) }
        )
        try await store.dispatch("two")
        #expect(store.snapshot.books == ["loaded", "two"])
    }
}
