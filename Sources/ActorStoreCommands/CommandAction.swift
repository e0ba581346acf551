import ActorStore

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
