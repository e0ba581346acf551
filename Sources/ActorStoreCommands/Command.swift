import ActorStore

/// An action that carries its own change of the state: a ``StateUpdater``, or a closure with a name.
public struct Command<State: Sendable>: Sendable, CustomDebugStringConvertible {
    /// What is described: the updater, or the name alone.
    private let subject: any Sendable
    /// The name that was given, or the type of the updater.
    public let name: String
    private let change: @Sendable (inout State) -> Void

    /// Creates a command of an updater.
    ///
    /// - Parameters:
    ///   - updater: Changes the state.
    ///   - name: Names the command; nil for the name of the updater's type.
    public init<Updater: StateUpdater<State>>(_ updater: Updater, named name: String? = nil) {
        subject = updater
        self.name = name ?? "\(Updater.self)"
        change = { state in updater.update(&state) }
    }

    /// Creates a command of a closure.
    ///
    /// - Parameters:
    ///   - name: Names the command in logs.
    ///   - change: Changes the state. Like a reducer, it runs on whichever thread owns the store's turn, and must not
    ///     block.
    public init(_ name: String, _ change: @escaping @Sendable (_ state: inout State) -> Void) {
        subject = CommandName(name: name)
        self.name = name
        self.change = change
    }

    /// Changes the state.
    public func apply(to state: inout State) { change(&state) }

    /// The updater, unless the command is a closure.
    public var updater: (any StateUpdater<State>)? { subject as? any StateUpdater<State> }

    /// The updater with its properties, or the name.
    public var debugDescription: String { ValueDescription(of: subject).line }
}

/// The name of a command that is a closure.
private struct CommandName: Sendable, CustomDebugStringConvertible {
    let name: String
    var debugDescription: String { name }
}

/// A change of a state that says itself what it does: an action and its reducer in one.
///
/// ```swift
/// struct Deposit: StateUpdater {
///     let amount: Int
///     func update(_ state: inout Account) { state.balance += amount }
/// }
/// let store = CommandStore(initialState: Account())
/// try await store.dispatch(Deposit(amount: 3))
/// ```
///
/// It is wrapped in a ``Command``, which is an action like any other: it passes through interceptors, is logged by its
/// name and properties, and is observed. A ``CommandStore`` takes nothing else; a store whose own actions have a case
/// for commands takes both, see ``CommandAction``.
public protocol StateUpdater<State>: Sendable {
    /// What it changes.
    associatedtype State: Sendable

    /// Changes the state. Like a reducer, it runs on whichever thread owns the store's turn, and must not block.
    func update(_ state: inout State)
}

/// Actions with a case for commands, so that a store of them takes ``StateUpdater``s, too.
///
/// ```swift
/// enum AppAction: CommandAction {
///     case signedIn(User)
///     case command(Command<AppState>)
/// }
/// // In the reducer:
/// case .command(let command): command.apply(to: &state)
/// ```
public protocol CommandAction<CommandState>: Sendable {
    /// What the commands change.
    associatedtype CommandState: Sendable

    /// Makes an action of a command; a case of this name does.
    static func command(_ command: Command<CommandState>) -> Self
}

extension Command: CommandAction {
    /// The command itself.
    public static func command(_ command: Command<State>) -> Command<State> { command }
}
