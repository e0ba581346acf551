/// A location in the source code of a program.
public struct CodeLocation: Sendable, Hashable, CustomStringConvertible {
    /// The module and the file, in the form of `#fileID`.
    public let fileID: String
    /// The line in the file.
    public let line: UInt

    @usableFromInline
    package init(fileID: String, line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// The file and the line, separated by a colon.
    public var description: String { "\(fileID):\(line)" }
}

extension CodeLocation {
    /// The location of effects that cannot fail.
    static let nowhere = CodeLocation(fileID: "", line: 0)
}
