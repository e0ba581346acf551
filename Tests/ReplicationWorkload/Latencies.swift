#if Replication
    import ActorStore
    import Foundation

    /// Something that happened, and when it was sent.
    struct Sighting: Codable, Sendable {
        /// In nanoseconds of the machine's clock.
        let sent: Int
    }

    /// The machine's clock, which is the same for all its processes.
    enum Moment {
        /// In nanoseconds.
        static var now: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
    }

    /// How long actions took from being sent to being reduced, in nanoseconds.
    struct Latencies: Codable, Sendable {
        private var values: [Int] = []

        init() {}

        init(merging all: [Latencies]) { values = all.flatMap(\.values) }

        var count: Int { values.count }

        mutating func note(_ nanoseconds: Int) { values.append(nanoseconds) }

        /// The percentiles that people ask for, in microseconds.
        var summary: String {
            let sorted = values.sorted()
            guard let longest = sorted.last else { return "nothing" }
            func percentile(_ share: Double) -> Int { sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)] }
            return [
                ("50 %", percentile(0.5)), ("99 %", percentile(0.99)), ("99.9 %", percentile(0.999)),
                ("longest", longest),
            ]
            .map { String(format: "%@ %d us", $0, $1 / 1_000) }.joined(separator: ", ")
        }

        /// Takes no note of times, for what is measured otherwise.
        struct Counting: Reducer {
            func reduce(into state: inout Latencies, action: Sighting) -> Effect<Sighting> { .none }
        }

        /// Takes note of each time.
        struct Timing: Reducer {
            func reduce(into state: inout Latencies, action: Sighting) -> Effect<Sighting> {
                state.note(Moment.now - action.sent)
                return .none
            }
        }
    }
#endif
