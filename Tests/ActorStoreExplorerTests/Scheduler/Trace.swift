import CExplorer

/// The events of a run, for readers of its failure: the order of the threads.
final class Trace {
    /// Text printed in a crash: one C string, which the explorer has registered with the signal handler.
    private let text: UnsafeMutablePointer<CChar>
    private static let capacity = 1 << 20
    private var length = 0
    /// Whether the changes are described one by one.
    let isVerbose: Bool
    private(set) var changes: [String] = []

    init(_ header: String, isVerbose: Bool = false) {
        text = .allocate(capacity: Self.capacity)
        text.pointee = 0
        self.isVerbose = isVerbose
        note(header)
        explorer_print_on_crash(text)
    }

    deinit {
        explorer_forget_text(text)
        text.deallocate()
    }

    /// The schedule so far: the numbers of the threads in the order in which they ran.
    var schedule: String { String(cString: text) }

    /// The beginning and the end of ``schedule``.
    var shortSchedule: String {
        let schedule = schedule
        return schedule.count < 4_000 ? schedule : "\(schedule.prefix(2_500)) … \(schedule.suffix(1_000))"
    }

    func note(_ string: String) {
        var string = string
        string.withUTF8 { bytes in
            guard length + bytes.count < Self.capacity else { return }
            for byte in bytes {
                text[length] = CChar(bitPattern: byte)
                length += 1
            }
            text[length] = 0
        }
    }

    func change(to thread: ScheduleThread, step: Int) {
        guard isVerbose else { return }
        changes.append("step \(step): \(thread.name)")
    }
}
