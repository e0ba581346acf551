extension TreeDictionary: CustomStringConvertible, CustomDebugStringConvertible {
    /// The entries, as `Dictionary` shows them.
    public var description: String { text }

    /// The entries, as `Dictionary` shows them.
    public var debugDescription: String { text }

    private var text: String {
        guard !isEmpty else { return "[:]" }
        let entries = map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
        return "[\(entries.joined(separator: ", "))]"
    }
}

extension TreeDictionary: CustomReflectable {
    /// A mirror that shows the entries, as that of `Dictionary` does.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: map { $0 }, displayStyle: .dictionary) }
}
