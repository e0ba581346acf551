import Foundation

/// Writes reports and texts to the standard output, a file or a folder.
struct Output {
    private let path: String?
    private let format: ReportFormat
    private let options: FormatOptions
    private let isQuiet: Bool

    init(_ arguments: Arguments) {
        switch arguments.command {
        // The path is that of the limits here.
        case .readThresholds, .checkThresholds, .updateThresholds: path = nil
        default: path = arguments.path == "stdout" ? nil : arguments.path
        }
        format = arguments.format
        options = arguments.formatOptions
        isQuiet = arguments.isQuiet
    }

    /// Writes a report in the requested format.
    func write(_ report: Report) throws {
        guard let path, Self.isFolder(path) else { return try write(try format.text(of: report, options)) }
        guard format.isForOneBenchmark else {
            return try TextFile.write(
                try format.text(of: report, options),
                to: "\(path)/results.\(format.fileExtension)"
            )
        }
        for result in report.results {
            var part = report
            part.results = [result]
            let name = result.identity.replacing("/", with: "-").replacing(" ", with: "_")
            let text = try format.text(of: part, options)
            guard !text.allSatisfy(\.isWhitespace) else { continue }
            try TextFile.write(text, to: "\(path)/\(name).\(format.fileExtension)")
        }
    }

    /// Writes a text, with a line break at its end.
    func write(_ text: String) throws {
        let text = text.hasSuffix("\n") ? text : text + "\n"
        if let path { return try TextFile.write(text, to: path) }
        if !isQuiet { print(text, terminator: "") }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

/// Reads and writes files, with errors that name them.
enum TextFile {
    static func read(_ path: String) throws(ArgumentsError) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ArgumentsError("'\(path)' cannot be read.")
        }
        return text
    }

    static func write(_ text: String, to path: String) throws(ArgumentsError) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw ArgumentsError("'\(path)' cannot be written: \(error.localizedDescription)")
        }
    }

    /// - Parameter kind: The expected kind of the file, for the error.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from path: String,
        _ kind: String
    ) throws(ArgumentsError) -> Value {
        let text = try read(path)
        do {
            return try JSONFormat.decode(type, from: Data(text.utf8))
        } catch DecodingError.dataCorrupted(let context) where context.underlyingError == nil {
            throw ArgumentsError("'\(path)' is not \(kind): \(context.debugDescription)")
        } catch {
            throw ArgumentsError("'\(path)' is not \(kind): \(error)")
        }
    }
}
