import Foundation

/// Opens a shop, kills its parts repeatedly, and looks for losses.
struct Demo: Sendable {
    let arguments: DemoArguments

    /// - Returns: Whether everything holds.
    func run() async throws -> ProgramStatus {
        // Writing to a desk that was just killed is an error, and not a signal.
        signal(SIGPIPE, SIG_IGN)
        let interruption = Interruption.ofProcess()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("inventory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let shop = try Shop(engine: arguments.engine, directory: directory, seed: arguments.seed)
        let result: DemoResult
        do {
            result = try await perform(shop, unless: interruption)
        } catch DemoError.interrupted {
            await shop.stop()
            return .interrupted
        } catch {
            await shop.stop()
            throw error
        }
        await shop.stop()
        let findings = try Audit.findings(in: result.evidence)
        LineOutput.standard.write(Summary(result: result, findings: findings).text)
        return findings.isEmpty ? .success : .failure
    }

    /// Whichever comes first: the end, an interruption, or the timeout.
    private func perform(_ shop: Shop, unless interruption: Interruption) async throws -> DemoResult {
        try await withThrowingTaskGroup(of: DemoResult.self) { group in
            group.addTask { try await perform(shop) }
            group.addTask {
                await interruption.wait()
                throw DemoError.interrupted
            }
            group.addTask {
                try await Task.sleep(for: .seconds(60 + 4 * arguments.kills))
                throw DemoError.tookTooLong
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private func perform(_ shop: Shop) async throws -> DemoResult {
        let clock = ContinuousClock()
        let start = clock.now
        var sequence = KillSequence(among: shop.victims, seed: arguments.seed)
        var kills: [Victim: Int] = [:]
        try await shop.open()
        for number in 0..<arguments.kills {
            let (victim, delay, outage) = sequence.next()
            try await Task.sleep(for: delay)
            try await shop.kill(victim, outage: outage)
            kills[victim, default: 0] += 1
            LineOutput.standard.write("kill \(number + 1): \(victim), after \(Int(delay / .milliseconds(1))) ms")
        }
        try await shop.waitForOrders()
        let evidence = try await shop.close()
        return DemoResult(
            engine: arguments.engine,
            evidence: evidence,
            kills: kills,
            seed: arguments.seed,
            elapsed: start.duration(to: clock.now)
        )
    }
}
