/// The reducer of a child asked for the child to be taken away, by ``Effect/dismiss(fileID:line:)``, but nobody presents
/// it.
public struct NotPresented: Error, Sendable, Equatable, CustomStringConvertible {
    /// Says what happened and what can be done about it.
    public var description: String {
        "Nobody presents the child that asked to be dismissed. Compose its reducer with ifPresented, or on a StackState."
    }
}
