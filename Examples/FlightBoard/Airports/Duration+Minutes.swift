extension Duration {
    /// A number of minutes: the board's unit of time.
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
}
