/// The progress of a task, as a bar.
struct ProgressBar: Equatable, Sendable {
    let done: Int
    let total: Int

    /// 0 to 1. An empty task is complete.
    var fraction: Double {
        total <= 0 ? 1 : min(1, max(0, Double(done) / Double(total)))
    }

    /// Whole percent, rounded down: 100 is shown only at the end.
    var percent: Int { Int(fraction * 100) }

    /// The filled and the empty part, together that number of characters.
    func drawn(columns: Int, usesUnicode: Bool) -> (filled: String, empty: String) {
        let filled = Int(Double(columns) * fraction)
        return (
            String(repeating: usesUnicode ? "█" : "#", count: filled),
            String(repeating: usesUnicode ? "░" : ".", count: max(0, columns - filled))
        )
    }
}
