/// What happens when an effect is about to begin while another one with the same identity is running.
public struct EffectPolicy: Sendable, Equatable {
    enum Kind: Sendable { case concurrent, cancelInFlight, ignoreIfRunning }
    let kind: Kind

    /// Both run.
    public static let concurrent = EffectPolicy(kind: .concurrent)
    /// The one that runs is cancelled; the new one begins at once, without waiting for the end of the other.
    public static let cancelInFlight = EffectPolicy(kind: .cancelInFlight)
    /// The new one does not begin.
    public static let ignoreIfRunning = EffectPolicy(kind: .ignoreIfRunning)
}
