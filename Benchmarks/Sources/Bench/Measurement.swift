import BlackHole

/// Runs a contender once, and tells how long an action took.
enum Measurement {
    /// - Returns: nanoseconds an action, from the first call until all actions are reduced.
    @concurrent
    static func run(_ contender: some Contender, producers: Int, actions: Int) async -> Double {
        let share = actions / producers
        let before = await contender.finish()
        let clock = ContinuousClock()
        let start = clock.now
        if producers == 1 {
            for _ in 0..<share {
                await contender.perform(.book(1))
                blackHole()
            }
        } else {
            await withDiscardingTaskGroup { group in
                for _ in 0..<producers {
                    group.addTask {
                        for _ in 0..<share {
                            await contender.perform(.book(1))
                            blackHole()
                        }
                    }
                }
            }
        }
        let reduced = await contender.finish() - before
        let elapsed = clock.now - start
        precondition(reduced == share * producers, "\(contender.name) lost or doubled actions: \(reduced) were reduced")
        return elapsed.nanoseconds / Double(share * producers)
    }

    /// The same for the reducer in a loop, which has no producers but one.
    @concurrent
    static func runLocalVariable(actions: Int) async -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let state = LocalVariable.run(actions, between: blackHole)
        let elapsed = clock.now - start
        precondition(state.bookings == actions)
        return elapsed.nanoseconds / Double(actions)
    }
}

extension Duration {
    /// The whole duration in nanoseconds.
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}
