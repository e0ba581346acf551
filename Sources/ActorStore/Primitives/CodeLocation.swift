/// Where in the program something was written.
public struct CodeLocation: Sendable, Hashable, CustomStringConvertible {
    /// The module and file, as `#fileID` gives it.
    public let fileID: String
    /// The line in that file.
    public let line: UInt

    @usableFromInline
    package init(fileID: String, line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// File and line in the usual form.
    public var description: String { "\(fileID):\(line)" }
}

extension CodeLocation {
    /// The place of what cannot fail.
    static let nowhere = CodeLocation(fileID: "", line: 0)
}
