import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreFoundation
import Foundation
import Testing

@testable import TestFixtures

private struct User: Equatable, Sendable { let id: Int }

private struct Users: Sendable {
    func load(_ id: Int) async throws -> User { User(id: id) }
}

private enum UsersKey: DependencyKey {
    static let liveValue = Users()
    static let testValue = Users()
}

extension DependencyValues {
    fileprivate var users: Users {
        get { self[UsersKey.self] }
        set { self[UsersKey.self] = newValue }
    }
}

private struct AppState: Sendable { var user: User? }
private enum AppAction: Sendable { case loaded(User) }

private struct RefreshUser: SideEffect {
    let id: Int
    func run(_ context: SideEffectContext<AppState, AppAction>) async throws -> User {
        let user = try await context.dependencies.users.load(id)
        try await context.dispatch(.loaded(user))
        return user
    }
}

/// The listings of the article "Commands and side effects".
@Suite("The article about commands and side effects", .timeLimit(.minutes(10)))
struct CommandsAndSideEffectsTests {
    struct Deposit: StateUpdater {
        let amount: Int
        func update(_ state: inout Account) { state.balance += amount }
    }

    struct Settings: Codable, Equatable, Sendable { var isDark = false }

    @Test("Commands carry their change")
    func commands() async throws {
        let store = CommandStore(initialState: Account())
        try await store.dispatch(Deposit(amount: 3))
        try await store.update("interest") { $0.balance += $0.balance / 100 }
        #expect(store.snapshot.balance == 3)
    }

    @Test("A side effect returns a value to its caller")
    func sideEffects() async throws {
        let store = Store(initialState: AppState()) { (state: inout AppState, action: AppAction) in
            if case .loaded(let user) = action { state.user = user }
        }
        let user = try await store.dispatch(RefreshUser(id: 7))
        #expect(store.snapshot.user == user)
    }

    @Test("A shared value is saved to a file")
    func values() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: url) }
        // `FilePersistence` is in the module ActorStoreFoundation.
        let settings = SharedValue(Settings(), persistence: FilePersistence(at: url))
        try await settings.update("dark mode") { $0.isDark = true }  // Done and visible; saved after that.
        try await settings.save()  // On the disk, or throws.
        await settings.shutdown()  // Saves what is not saved yet.
        #expect(try JSONDecoder().decode(Settings.self, from: Data(contentsOf: url)).isDark)
    }
}
