import Foundation

/// Writes the case paths of a module, or checks that they are current. The plug-in `GenerateCasePaths` runs it.
///
///     CasePathTool write|check GRAPHS FILE COMMAND [ENUM…]
@main
struct CasePathTool {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 4, ["write", "check"].contains(arguments[0]) else {
            fail("usage: CasePathTool write|check GRAPHS FILE COMMAND [ENUM…]")
        }
        do {
            let graph = try SymbolGraph(inFolder: URL(filePath: arguments[1]))
            let file = try CasePathFile(graph, enums: Array(arguments[4...]), command: arguments[3]) { uri in
                guard let url = URL(string: uri) else { return "" }
                return try String(contentsOf: url, encoding: .utf8)
            }
            for note in file.notes { print("note: \(note)") }
            try update(URL(filePath: arguments[2]), to: file.text, checks: arguments[0] == "check", arguments[3])
        } catch {
            fail("\(error)")
        }
    }

    private static func update(_ url: URL, to text: String?, checks: Bool, _ command: String) throws {
        let exists = FileManager.default.fileExists(atPath: url.path)
        let old = exists ? try String(contentsOf: url, encoding: .utf8) : nil
        guard old != text else { return }
        if checks { fail("\(url.path) is not current. Run \(command)") }
        if let text {
            try Data(text.utf8).write(to: url, options: .atomic)
        } else {
            try FileManager.default.removeItem(at: url)
        }
        print("\(text == nil ? "Removed" : "Wrote") \(url.path)")
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("error: \(message)\n".utf8))
        exit(1)
    }
}
