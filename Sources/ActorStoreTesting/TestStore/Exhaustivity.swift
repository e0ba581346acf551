/// How much of what happens a ``TestStore`` expects a test to say.
public enum Exhaustivity: Sendable, Equatable {
    /// All: each change of the state, each action that comes of effects, and the end of each effect.
    case on
    /// Only what the test is about: a change that it does not mention may happen, actions may come that it does not
    /// receive, and effects may go on after its end. What it does say must be so.
    ///
    /// - Parameter showSkippedAssertions: Whether what is passed over is noted, without failing the test.
    case off(showSkippedAssertions: Bool)

    /// Only what the test is about; what is passed over is not noted.
    public static let off = Exhaustivity.off(showSkippedAssertions: false)

    var showsSkipped: Bool { self == .off(showSkippedAssertions: true) }
}
