import Foundation

/// The other load of the machine during a run.
public struct MachineLoad: Sendable, Codable, Equatable {
    /// The number of threads that wanted a core at the beginning, averaged over the minute before.
    public var loadBefore: Double?
    /// The fraction of the cores' time used by other processes, from 0 to 1.
    public var otherProcesses: Double?
    /// The fraction of the cores' time given to other machines by the hypervisor, from 0 to 1.
    public var stolen: Double?

    /// The load in one line.
    var description: String {
        let percent = { (fraction: Double?) in fraction.map { NumberText.short($0 * 100) + " %" } ?? "unknown" }
        return "load before \(loadBefore.map(NumberText.short) ?? "unknown"); "
            + "other processes \(percent(otherProcesses)) of the cores' time, stolen \(percent(stolen))"
    }
}

/// Measures the other load of the machine since its creation.
struct MachineLoadMeter {
    private let loadBefore: Double?
    private let before: CoreTimes?
    private let ownBefore = ProcessCounters.now

    init() {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        loadBefore = text?.split(separator: " ").first.flatMap { Double($0) }
        before = CoreTimes.now
    }

    /// The load so far.
    var load: MachineLoad {
        var load = MachineLoad(loadBefore: loadBefore)
        guard let before, let after = CoreTimes.now, after.total > before.total else { return load }
        let all = Double(after.total - before.total)
        let own = ProcessCounters.now
        let used = own.userNanoseconds + own.systemNanoseconds - ownBefore.userNanoseconds - ownBefore.systemNanoseconds
        let ownTicks = Double(used) * CoreTimes.ticksASecond / 1e9
        load.stolen = Double(after.stolen - before.stolen) / all
        load.otherProcesses = max(0, (Double(after.busy - before.busy) - ownTicks) / all)
        return load
    }
}

/// The work of all cores since the start of the machine, in ticks, from `/proc/stat`.
private struct CoreTimes {
    static let ticksASecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    var total = 0
    var busy = 0
    var stolen = 0

    static var now: CoreTimes? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        // cpu user nice system idle iowait irq softirq steal (proc(5)); guests are counted in user and nice.
        let fields = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) }
        guard fields.count == 8 else { return nil }
        let idle = fields[3] + fields[4]
        let total = fields.reduce(0, +)
        return CoreTimes(total: total, busy: total - idle - fields[7], stolen: fields[7])
    }
}
