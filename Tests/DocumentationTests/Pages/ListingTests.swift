import Foundation
import Testing

@Suite("The listings of the documentation", .timeLimit(.minutes(10)))
struct ListingTests {
    @Test("Every Swift listing of every page is compiled as a part of a test or an example, word for word")
    func listingsAreCompiled() throws {
        let sources = try ListingSources(below: ["Tests", "Examples"])
        var pages = try ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map { try DocumentationPage($0) }
        for folder in ["Documentation", "Examples", "Sources"] {
            pages += try DocumentationPage.pages(below: folder, suffix: ".md")
        }
        // These pages list the declarations of the modules.
        pages.removeAll { $0.path.hasPrefix("Documentation/API/") }
        var count = 0
        for page in pages {
            for listing in page.listings where !Self.isManifest(listing) {
                count += 1
                let isCompiled = sources.contain(listing)
                #expect(isCompiled, "\(page.path):\n\(listing.joined(separator: "\n"))")
            }
        }
        #expect(count > 130)
    }

    /// Excerpts of a package's manifest are not compiled with a package.
    private static func isManifest(_ listing: [String]) -> Bool {
        [".package(", ".testTarget(", "// swift-tools-version"].contains { listing.first?.hasPrefix($0) == true }
    }
}

/// Source files, in which paragraphs of listings are found by their first lines.
private struct ListingSources {
    private var files: [[String]] = []
    /// Where each line is, by the number of the file and the number of the line.
    private var places: [String: [(file: Int, line: Int)]] = [:]

    init(below folders: [String]) throws {
        for folder in folders {
            for page in try DocumentationPage.pages(below: folder, suffix: ".swift") {
                let lines = page.filledLines.map(Self.normalized)
                for (number, line) in lines.enumerated() { places[line, default: []].append((files.count, number)) }
                files.append(lines)
            }
        }
    }

    /// Whether one file contains each of the listing's paragraphs, without imports and `@main`.
    func contain(_ listing: [String]) -> Bool {
        let code = listing.map(Self.normalized).filter { line in
            line != "@main" && !["import ", "@testable import "].contains { line.hasPrefix($0) }
        }
        let paragraphs = code.split(separator: "").map(Array.init)
        var candidates = Set(files.indices)
        for paragraph in paragraphs {
            let containing = places[paragraph[0], default: []].filter { place in
                files[place.file][place.line...].starts(with: paragraph)
            }
            candidates.formIntersection(containing.map(\.file))
        }
        return !paragraphs.isEmpty && !candidates.isEmpty
    }

    /// A line without what depends on the place of the code: access, and the spaces before a comment.
    private static func normalized(_ line: String) -> String {
        let comment = line.range(of: " //")
        let code = comment.map { line[..<$0.lowerBound].trimmingCharacters(in: .whitespaces) } ?? line
        let text = comment.map { code + line[$0.lowerBound...] } ?? code
        for access in ["private ", "fileprivate "] where text.hasPrefix(access) {
            return String(text.dropFirst(access.count))
        }
        return text
    }
}
