import Foundation

/// Figures that were kept, each under its name in a file of its own.
struct BaselineStore {
    /// Where they are; the plug-in for packages keeps its own there, too.
    var folder = URL(fileURLWithPath: ".benchmarkBaselines")

    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    func save(_ report: Report, as name: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(JSONFormat.text(of: report).utf8).write(to: file(of: name))
    }

    func load(_ name: String) throws -> Report {
        guard let data = try? Data(contentsOf: file(of: name)) else { throw missing(name) }
        return try JSONFormat.decode(Report.self, from: data)
    }

    func delete(_ name: String) throws {
        guard names.contains(name) else { throw missing(name) }
        try FileManager.default.removeItem(at: file(of: name))
    }

    private func file(of name: String) -> URL { folder.appendingPathComponent("\(name).json") }

    private func missing(_ name: String) -> ArgumentsError {
        let known = names.isEmpty ? "there are none" : "there are " + names.joined(separator: ", ")
        return ArgumentsError("There is no baseline '\(name)'; \(known).")
    }
}
