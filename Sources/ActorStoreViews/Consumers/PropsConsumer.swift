import ActorStore

/// Something that is shown values, one after the other, and never two equal ones in a row: a display, a projection, a
/// worker that is fed by a state.
///
/// ```swift
/// actor Dashboard: PropsConsumer {
///     func update(_ props: Int) { … }
/// }
/// store.connect(dashboard, state: \.count)
/// ```
///
/// Where it is updated is a matter of its type: an actor is updated in its isolation, a class of the main actor there,
/// and any other class wherever the connection runs. The next update begins when the one before has returned; of what
/// changes meanwhile it gets the newest.
public protocol PropsConsumer<Props>: AnyObject, Sendable {
    /// What it is shown.
    associatedtype Props: Equatable & Sendable

    /// Takes new values over. An isolated method that is not asynchronous will do, too.
    func update(_ props: Props) async
}
