/// Contenders run in turn, A B A B …, so that what else the machine does hits them alike.
struct Comparison {
    /// One contender's figures.
    struct Row {
        let name: String
        /// Nanoseconds an action, one for each round.
        var samples: [Double] = []
    }

    let title: String
    private(set) var rows: [Row]

    /// Measures `subject` and all baselines, `rounds` times each, after one round to warm up.
    @concurrent
    static func run(
        _ title: String,
        subject: some Contender,
        producers: Int,
        actions: Int,
        rounds: Int
    ) async -> Comparison {
        let baselines: [any Contender] = [BareActor(), MutexStore(), QueueStore(), StreamActor()]
        let names = [subject.name, "B0 local variable"] + baselines.map(\.name)
        var comparison = Comparison(title: title, rows: names.map { Row(name: $0) })
        for round in 0...rounds {
            var samples = [
                await Measurement.run(subject, producers: producers, actions: actions),
                await Measurement.runLocalVariable(actions: actions),
            ]
            for baseline in baselines {
                samples.append(await Measurement.run(baseline, producers: producers, actions: actions))
            }
            guard round > 0 else { continue }
            for (index, sample) in samples.enumerated() { comparison.rows[index].samples.append(sample) }
        }
        return comparison
    }

    /// The subject's time as a multiple of a baseline's, round by round.
    func ratios(toBaselineAt index: Int) -> [Double] {
        zip(rows[0].samples, rows[index].samples).map { $0 / $1 }
    }

    /// The same for the baseline whose name begins with `label`.
    func medianRatio(to label: String) -> Double? {
        rows.firstIndex { $0.name.hasPrefix(label) }.map { ratios(toBaselineAt: $0).quantile(0.5) }
    }
}

extension [Double] {
    /// The value below which the fraction given of all values lies, interpolated.
    func quantile(_ fraction: Double) -> Double {
        let sorted = sorted()
        guard let last = sorted.last else { return .nan }
        let place = fraction * Double(sorted.count - 1)
        let index = Int(place)
        guard index + 1 < sorted.count else { return last }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
    }
}
