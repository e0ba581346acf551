/// The delays of the latest departures, and their sum, kept up to date in O(1).
///
/// Invariant: `sum` is the sum of `delays`; when the window is full, `next` is the place of the oldest.
struct RollingDelay: Equatable, Sendable {
    let window: Int
    private var delays: [Int] = []
    private var next = 0
    private(set) var sum = 0

    init(window: Int) {
        self.window = max(1, window)
    }

    /// Whether there have been enough departures for a meaningful mean.
    var isFull: Bool { delays.count == window }

    /// The mean in minutes; nil until the window is full.
    var mean: Double? { isFull ? Double(sum) / Double(window) : nil }

    /// Adds a departure and removes the oldest one of a full window.
    mutating func record(_ delay: Int) {
        sum += delay
        if isFull {
            sum -= delays[next]
            delays[next] = delay
            next = (next + 1) % window
        } else {
            delays.append(delay)
        }
    }
}
