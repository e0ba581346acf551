/// A state and its reducer, the destination of each path.
public final class Root<State, Action> {
    @usableFromInline var state: State
    @usableFromInline let reducer: (inout State, Action) -> Void

    /// Creates a root.
    @inlinable
    public init(_ state: State, _ reducer: @escaping (inout State, Action) -> Void) {
        self.state = state
        self.reducer = reducer
    }

    /// Sends an action to the reducer.
    @inlinable
    public func send(_ action: Action) { reducer(&state, action) }

    @inlinable package var current: State { state }
}

// MARK: Closures

/// A path of closures, each created where its types are known.
public struct ActionSink<Action> {
    /// Sends an action to the reducer.
    public let send: (Action) -> Void

    /// Creates a path from its last step.
    @inlinable
    public init(send: @escaping (Action) -> Void) { self.send = send }

    /// Creates a path to a root.
    @inlinable
    public init<State>(_ root: Root<State, Action>) { self.init { root.send($0) } }

    /// Returns a path for local actions, which `embed` turns into actions of this path.
    @inlinable
    public func scope<Local>(_ embed: @escaping (Local) -> Action) -> ActionSink<Local> {
        ActionSink<Local> { [send] in send(embed($0)) }
    }
}

// MARK: Classes

/// A path of objects with a method that subclasses override.
open class SinkNode<Action> {
    /// Creates a node.
    @inlinable
    public init() {}

    /// Sends an action to the reducer.
    @inlinable
    public func send(_ action: Action) {}
}

/// The end of a path, which reduces the action.
public final class RootSink<State, Action>: SinkNode<Action> {
    @usableFromInline let root: Root<State, Action>

    /// Creates a path to a root.
    @inlinable
    public init(_ root: Root<State, Action>) { self.root = root }

    /// Sends an action to the reducer.
    @inlinable
    public override func send(_ action: Action) { root.send(action) }
}

/// A scope, which forwards its actions to its parent.
public final class ScopeSink<Parent, Action>: SinkNode<Action> {
    @usableFromInline let parent: SinkNode<Parent>
    @usableFromInline let embed: (Action) -> Parent

    /// Creates a scope that forwards its actions to `parent`.
    @inlinable
    public init(_ parent: SinkNode<Parent>, _ embed: @escaping (Action) -> Parent) {
        self.parent = parent
        self.embed = embed
    }

    /// Sends an action to the reducer.
    @inlinable
    public override func send(_ action: Action) { parent.send(embed(action)) }
}

// MARK: A protocol

/// A path of values of a protocol.
public protocol Sink<Action>: AnyObject {
    associatedtype Action
    func send(_ action: Action)
}

/// The end of a path, which reduces the action.
public final class RootWay<State, Action>: Sink {
    @usableFromInline let root: Root<State, Action>

    /// Creates a path to a root.
    @inlinable
    public init(_ root: Root<State, Action>) { self.root = root }

    /// Sends an action to the reducer.
    @inlinable
    public func send(_ action: Action) { root.send(action) }
}

/// A scope, which forwards its actions to its parent.
public final class ScopeWay<Parent, Action>: Sink {
    @usableFromInline let parent: any Sink<Parent>
    @usableFromInline let embed: (Action) -> Parent

    /// Creates a scope that forwards its actions to `parent`.
    @inlinable
    public init(_ parent: any Sink<Parent>, _ embed: @escaping (Action) -> Parent) {
        self.parent = parent
        self.embed = embed
    }

    /// Sends an action to the reducer.
    @inlinable
    public func send(_ action: Action) { parent.send(embed(action)) }
}
