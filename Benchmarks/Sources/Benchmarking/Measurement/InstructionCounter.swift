import CMeasurement

/// Counts the instructions of the process, if the machine has a counter for them; many virtual machines have none.
struct InstructionCounter {
    private let descriptor: Int32

    /// The counter, opened before other threads begin, because it counts only later ones.
    static let shared = InstructionCounter(descriptor: instruction_counter_open())

    var isAvailable: Bool { descriptor >= 0 }

    /// Instructions so far, or nil if the machine does not count them.
    var now: UInt64? {
        guard isAvailable else { return nil }
        let value = instruction_counter_read(descriptor)
        return value == .max ? nil : value
    }
}
