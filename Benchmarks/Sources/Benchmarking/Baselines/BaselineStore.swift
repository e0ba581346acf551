import Foundation

/// Saved reports, each under its name in its own file.
struct BaselineStore {
    /// The folder of the files, which is that of the package-benchmark plug-in.
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
        do {
            return try JSONFormat.decode(Report.self, from: data)
        } catch {
            throw ArgumentsError("Baseline '\(name)' cannot be read: an older bench wrote it. Update it.")
        }
    }

    func delete(_ name: String) throws {
        guard names.contains(name) else { throw missing(name) }
        try FileManager.default.removeItem(at: file(of: name))
    }

    private func file(of name: String) -> URL { folder.appendingPathComponent("\(name).json") }

    private func missing(_ name: String) -> MissingBaseline {
        let known = names.isEmpty ? "no baseline was saved" : "there are " + names.joined(separator: ", ")
        return MissingBaseline(description: "There is no baseline '\(name)'; \(known).")
    }
}

/// A command names a missing baseline.
struct MissingBaseline: Error, CustomStringConvertible {
    let description: String
}
