import Foundation
import Testing

/// A file of the repository, by its lines without the white space around them.
struct DocumentationPage {
    /// The folder of the repository, also if the sources are compiled through links to their folders.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The path below the root of the repository.
    let path: String

    /// All lines, some of which are empty.
    let lines: [String]

    init(_ path: String) throws {
        self.path = path
        lines = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The files below a folder of the repository whose names end with the suffix, in the order of their paths.
    static func pages(below folder: String, suffix: String) throws -> [DocumentationPage] {
        let files = try #require(FileManager.default.enumerator(atPath: root.appending(path: folder).path))
        return try files.compactMap { $0 as? String }
            .filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }
            .sorted().map { try DocumentationPage("\(folder)/\($0)") }
    }

    /// The lines that are not empty.
    var filledLines: [String] { lines.filter { !$0.isEmpty } }

    /// The Swift listings of a Markdown page, by their lines.
    var listings: [[String]] {
        var listings: [[String]] = []
        var isInside = false
        for line in lines {
            if line == "```swift" {
                isInside = true
                listings.append([])
            } else if line == "```" {
                isInside = false
            } else if isInside {
                listings[listings.count - 1].append(line)
            }
        }
        return listings
    }

    /// The filled lines between the first one that is `begin` and the first one after it that is `end`.
    func filledLines(from begin: String, to end: String) throws -> [String] {
        let start = try #require(filledLines.firstIndex(of: begin)) + 1
        let finish = try #require(filledLines[start...].firstIndex(of: end))
        return Array(filledLines[start..<finish])
    }
}
