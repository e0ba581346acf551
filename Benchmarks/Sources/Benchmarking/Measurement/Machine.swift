import Foundation

/// Where figures were measured.
public struct Machine: Sendable, Codable, Equatable {
    /// The model of the processor, as the system names it.
    public var processor: String
    /// How many cores the process may use.
    public var cores: Int
    /// The operating system.
    public var system: String
    /// The memory allocator.
    public var allocator: String
    /// What one look at the clock costs, in nanoseconds.
    public var clockCost: Double
    /// Whether allocations were counted.
    public var countsAllocations: Bool
    /// Whether instructions were counted.
    public var countsInstructions: Bool

    /// This machine.
    public static func current() -> Machine {
        Machine(
            processor: processorName ?? "unknown processor",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            allocator: AllocationCounter.isAvailable ? "jemalloc" : "the system's",
            clockCost: MonotonicClock.measureCost(),
            countsAllocations: AllocationCounter.isAvailable,
            countsInstructions: InstructionCounter.shared.isAvailable
        )
    }

    private static var processorName: String? {
        guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").dropFirst().first.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The machine in one line.
    var description: String {
        let counted = countsAllocations ? "allocations counted" : "allocations not counted"
        let instructions = countsInstructions ? "instructions counted" : "no instruction counter"
        let clock = NumberText.short(clockCost)
        return "\(processor), \(cores) cores, \(system); \(allocator) allocator; \(counted); \(instructions); "
            + "a look at the clock costs \(clock) ns"
    }
}
