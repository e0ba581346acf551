import ActorStore

/// An action that carries its own state change: a ``StateUpdater``, or a named closure.
public struct Command<State: Sendable>: Sendable, CustomDebugStringConvertible {
    /// The value that is described: the updater, or the name alone.
    private let subject: any Sendable
    /// The given name, or the name of the updater's type.
    public let name: String
    private let change: @Sendable (inout State) -> Void

    /// Creates a command from an updater.
    ///
    /// - Parameters:
    ///   - updater: The updater, which changes the state.
    ///   - name: The command's name in logs; nil uses the name of the updater's type.
    public init<Updater: StateUpdater<State>>(_ updater: Updater, named name: String? = nil) {
        subject = updater
        self.name = name ?? "\(Updater.self)"
        change = { state in updater.update(&state) }
    }

    /// Creates a command from a closure.
    ///
    /// - Parameters:
    ///   - name: The command's name in logs.
    ///   - change: Changes the state. Like a reducer, it runs on the thread that owns the store's turn, and must not
    ///     block.
    public init(_ name: String, _ change: @escaping @Sendable (_ state: inout State) -> Void) {
        subject = CommandName(name: name)
        self.name = name
        self.change = change
    }

    /// Changes the state.
    public func apply(to state: inout State) { change(&state) }

    /// The updater, or nil if the command is a closure.
    public var updater: (any StateUpdater<State>)? { subject as? any StateUpdater<State> }

    /// The updater with its properties, or the name.
    public var debugDescription: String { ValueDescription(of: subject).line }
}

/// The name of a command that is a closure.
private struct CommandName: Sendable, CustomDebugStringConvertible {
    let name: String
    var debugDescription: String { name }
}

/// A state change as a value: an action and its reducer in one.
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
/// It is wrapped in a ``Command``, which is an action like any other: it passes through interceptors, is logged with
/// its name and properties, and is observed. A ``CommandStore`` takes nothing but commands. A store whose own action
/// type has a case for commands takes both; see ``CommandAction``.
public protocol StateUpdater<State>: Sendable {
    /// The state that it changes.
    associatedtype State: Sendable

    /// Changes the state. Like a reducer, it runs on the thread that owns the store's turn, and must not block.
    func update(_ state: inout State)
}

/// Actions with a case for commands. A store of such actions takes ``StateUpdater``s, too.
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
    /// The state that the commands change.
    associatedtype CommandState: Sendable

    /// Wraps a command in an action. A case of this name implements it.
    static func command(_ command: Command<CommandState>) -> Self
}

extension Command: CommandAction {
    /// Returns the command itself.
    public static func command(_ command: Command<State>) -> Command<State> { command }
}
