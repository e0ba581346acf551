/// A state and its reducer, at the end of each way.
public final class Root<State, Action> {
    @usableFromInline var state: State
    @usableFromInline let reducer: (inout State, Action) -> Void

    /// Creates a root.
    @inlinable
    public init(_ state: State, _ reducer: @escaping (inout State, Action) -> Void) {
        self.state = state
        self.reducer = reducer
    }

    /// Has an action reduced.
    @inlinable
    public func send(_ action: Action) { reducer(&state, action) }

    @inlinable package var current: State { state }
}

// MARK: Closures

/// A way made of closures that are made where the types are known.
public struct ActionSink<Action> {
    /// Has an action reduced.
    public let send: (Action) -> Void

    /// Creates a way of its last step.
    @inlinable
    public init(send: @escaping (Action) -> Void) { self.send = send }

    /// Creates the way to a root.
    @inlinable
    public init<State>(_ root: Root<State, Action>) { self.init { root.send($0) } }

    /// A way for actions that others are made of.
    @inlinable
    public func scope<Local>(_ embed: @escaping (Local) -> Action) -> ActionSink<Local> {
        ActionSink<Local> { [send] in send(embed($0)) }
    }
}

// MARK: Classes

/// A way made of objects with a member that subclasses override.
open class SinkNode<Action> {
    /// Creates a node.
    @inlinable
    public init() {}

    /// Has an action reduced.
    @inlinable
    public func send(_ action: Action) {}
}

/// The end of the way.
public final class RootSink<State, Action>: SinkNode<Action> {
    @usableFromInline let root: Root<State, Action>

    /// Creates the way to a root.
    @inlinable
    public init(_ root: Root<State, Action>) { self.root = root }

    /// Has an action reduced.
    @inlinable
    public override func send(_ action: Action) { root.send(action) }
}

/// A scope.
public final class ScopeSink<Parent, Action>: SinkNode<Action> {
    @usableFromInline let parent: SinkNode<Parent>
    @usableFromInline let embed: (Action) -> Parent

    /// Creates a scope of what `parent` leads to.
    @inlinable
    public init(_ parent: SinkNode<Parent>, _ embed: @escaping (Action) -> Parent) {
        self.parent = parent
        self.embed = embed
    }

    /// Has an action reduced.
    @inlinable
    public override func send(_ action: Action) { parent.send(embed(action)) }
}

// MARK: A protocol

/// A way made of values of a protocol.
public protocol Sink<Action>: AnyObject {
    associatedtype Action
    func send(_ action: Action)
}

/// The end of the way.
public final class RootWay<State, Action>: Sink {
    @usableFromInline let root: Root<State, Action>

    /// Creates the way to a root.
    @inlinable
    public init(_ root: Root<State, Action>) { self.root = root }

    /// Has an action reduced.
    @inlinable
    public func send(_ action: Action) { root.send(action) }
}

/// A scope.
public final class ScopeWay<Parent, Action>: Sink {
    @usableFromInline let parent: any Sink<Parent>
    @usableFromInline let embed: (Action) -> Parent

    /// Creates a scope of what `parent` leads to.
    @inlinable
    public init(_ parent: any Sink<Parent>, _ embed: @escaping (Action) -> Parent) {
        self.parent = parent
        self.embed = embed
    }

    /// Has an action reduced.
    @inlinable
    public func send(_ action: Action) { parent.send(embed(action)) }
}
