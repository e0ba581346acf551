/// A target that gets bytes, and traps when it finds a defect.
struct FuzzTarget: Sendable {
    let name: String
    let run: @Sendable (inout Bytes) -> Void

    static let all = [
        FuzzTarget(name: "tree-dictionary", run: TreeDictionaryTarget.run),
        FuzzTarget(name: "keyed-array", run: KeyedArrayTarget.run),
        FuzzTarget(name: "mailbox", run: MailboxTarget.run),
        FuzzTarget(name: "element-buffer", run: ElementBufferTarget.run),
        FuzzTarget(name: "suspension-queue", run: SuspensionQueueTarget.run),
        FuzzTarget(name: "hashed-entries", run: HashedEntriesTarget.run),
        FuzzTarget(name: "turn-word", run: TurnWordTarget.run),
        FuzzTarget(name: "effect-machine", run: EffectMachineTarget.run),
        FuzzTarget(name: "effect-state", run: EffectStateTarget.run),
        FuzzTarget(name: "times", run: TimesTarget.run),
        FuzzTarget(name: "stack-state", run: StackStateTarget.run),
        FuzzTarget(name: "case-paths", run: CasePathTarget.run),
        FuzzTarget(name: "decoders", run: DecodersTarget.run),
        FuzzTarget(name: "descriptions", run: DescriptionsTarget.run),
        FuzzTarget(name: "flight-file", run: FlightFileTarget.run),
        FuzzTarget(name: "arguments", run: ArgumentsTarget.run),
        FuzzTarget(name: "bench-files", run: BenchFilesTarget.run),
    ]
}

/// Traps with a defect, if there is one.
func demand(_ flaw: String?) {
    if let flaw { fatalError(flaw) }
}

/// Traps unless a condition holds.
func demand(_ condition: Bool, _ flaw: @autoclosure () -> String) {
    if !condition { fatalError(flaw()) }
}
