import Foundation

/// The machine of a measurement, and its tools.
public struct Machine: Sendable, Codable, Equatable {
    /// The model of the processor, as named by the system.
    public var processor: String
    /// The number of cores that the process may use.
    public var cores: Int
    /// The operating system.
    public var system: String
    /// The kernel and its version.
    public var kernel: String
    /// The version of the compiler, and its options.
    public var compiler: String
    /// The compiled commit, with a mark if there were changes to it.
    public var commit: String
    /// The memory allocator.
    public var allocator: String
    /// The cost of reading the clock, in nanoseconds.
    public var clockCost: Double
    /// Whether allocations were counted.
    public var countsAllocations: Bool
    /// Whether instructions were counted.
    public var countsInstructions: Bool

    /// The number of cores that the process may use.
    static let cores = ProcessInfo.processInfo.activeProcessorCount

    /// This machine.
    public static func current() -> Machine {
        Machine(
            processor: processorName ?? "unknown processor",
            cores: cores,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            kernel: kernelName,
            compiler: "\(compilerName ?? "unknown compiler"), \(isOptimised ? "-c release" : "-c debug")",
            commit: output(of: "git", "describe", "--always", "--dirty", "--exclude", "*") ?? "unknown",
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

    private static var kernelName: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown kernel" }
        return "\(text(names.sysname)) \(text(names.release))"
    }

    /// A C string stored in a tuple of characters.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The version of the compiler on the path, which has built the program unless it was replaced since.
    private static var compilerName: String? {
        let text = output(of: "swift", "--version")
        return text?.firstMatch(of: /Swift version [0-9.]+/).map { String($0.output) }
    }

    private static var isOptimised: Bool {
        var isChecked = false
        assert(
            {
                isChecked = true; return true
            }()
        )
        return !isChecked
    }

    /// The first line of a program's output, or nil if it fails.
    private static func output(of program: String, _ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }

    /// The machine in one line.
    var description: String {
        let counted = countsAllocations ? "allocations counted" : "allocations not counted"
        let instructions = countsInstructions ? "instructions counted" : "no instruction counter"
        let clock = NumberText.short(clockCost)
        return
            "\(processor), \(cores) cores, \(system), \(kernel); \(compiler); commit \(commit); \(allocator) allocator; "
            + "\(counted); \(instructions); a look at the clock costs \(clock) ns"
    }
}
