extension Duration {
    /// So many minutes: what the board counts time in.
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
}
