#if SQLite
    import ActorStoreSimulation
    import Foundation
    import Testing

    /// Cuts the power of a machine whose disk loses, tears and reorders unsynced writes, at moments of a history.
    ///
    /// `CUTS` in the environment is the number of power losses, `all` for every moment; `SEED` selects the moments.
    @Suite("Logs after power losses", .timeLimit(.minutes(60)))
    struct PowerLossTests {
        private let environment = ProcessInfo.processInfo.environment

        /// The findings after power losses.
        ///
        /// - Parameter syncs: Whether the disk honours syncs.
        private func defects(syncs: Bool) async throws -> [String] {
            let workplace = try Workplace()
            let folder = workplace.path("disk")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let history = workplace.path("history")
            let printed = try await StorageProcess.run("note", folder, history, syncs ? "1" : "0", "250")
            #expect(printed.count { !$0.hasPrefix("failed") } == 4_000, "\(printed.last ?? "")")
            let records = try WriteHistory(contentsOf: history).records
            var random = SimulationGenerator(seed: environment["SEED"].flatMap { UInt64($0) } ?? 1)
            let cuts = environment["CUTS"].flatMap { Int($0) } ?? (environment["CUTS"] == "all" ? records.count : 100)
            var moments = Set(0...records.count)
            if cuts < records.count {
                moments = Set((0..<cuts).map { _ in Int.random(in: 0...records.count, using: &random) })
            }
            var (disk, defects): (Disk, [String]) = (Disk(), [])
            for moment in 0...records.count {
                if moments.contains(moment) {
                    for share in [0, 1, Double.random(in: 0..<1, using: &random)] {
                        let defect = try await defect(of: disk, share, workplace, using: &random)
                        if let defect { defects.append("record \(moment) of \(records.count), \(share): \(defect)") }
                    }
                }
                if moment < records.count { disk.apply(records[moment]) }
            }
            if environment["CUTS"] != nil {
                print("\(moments.count) moments of \(records.count), \(defects.count) defects")
            }
            return defects
        }

        private func defect(
            of disk: Disk,
            _ share: Double,
            _ workplace: Workplace,
            using random: inout SimulationGenerator
        ) async throws -> String? {
            let folder = workplace.path("after")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            for (name, bytes) in disk.contents(share: share, using: &random) {
                try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
            }
            return await StorageProcess.defect(
                at: folder + "/log",
                acknowledged: StorageProcess.acknowledged(disk.marks)
            )
        }

        @Test("No acknowledged action is lost in a power loss, whatever was not synchronised")
        func powerCuts() async throws {
            let defects = try await defects(syncs: true)
            #expect(defects == [], "\(defects.prefix(3).joined(separator: "\n"))")
        }

        @Test("A disk that does not synchronise is detected as losing acknowledged actions")
        func withoutSyncs() async throws {
            #expect(try await defects(syncs: false).count > 10)
        }
    }
#endif
