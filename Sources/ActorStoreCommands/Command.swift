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
