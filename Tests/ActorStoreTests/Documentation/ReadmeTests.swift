import Foundation
import Testing

@testable import TestFixtures

@Suite("The listings of the README", .timeLimit(.minutes(10)))
struct ReadmeTests {
    struct OutOfStock: Error, CustomStringConvertible { let description = "the supplier is out of stock" }

    @Test("The shop of the README rejects missing goods, restocks low stock, and shows the newest level in the end")
    func restocks() async throws {
        let levels = Collector<Int>()
        let state = try await serve([30, 12, 5], supplier: Supplier { $0 }) { levels.append($0) }
        #expect(state == Stock.State(available: 23, refused: 1))
        #expect(levels.elements.last == 23)
    }

    @Test("A failing supplier leaves its reason in the state")
    func supplierFails() async throws {
        let levels = Collector<Int>()
        let supplier = Supplier { _ in throw OutOfStock() }
        let state = try await serve([12, 5], supplier: supplier) { levels.append($0) }
        #expect(state == Stock.State(available: 3, problem: "the supplier is out of stock"))
        #expect(levels.elements.last == 3)
    }

    @Test("The first program prints the newest count in the end")
    func program() async throws {
        let counts = Collector<Int>()
        try await count { counts.append($0) }
        #expect(counts.elements.last == 5)
    }

    @Test("The README's listings are compiled here, word for word, and have at most 8 and 40 lines")
    func listings() throws {
        let source = try DocumentationPage("Tests/ActorStoreTests/Documentation/ReadmeExample.swift")
        let page = try DocumentationPage("README.md")
        let shown = page.listings
        try #require(shown.count == 2)
        let program = try source.lines(from: "// PROGRAM-BEGIN", to: "// PROGRAM-END")
        #expect(shown[0] == ["import ActorStore"] + program)
        #expect(program.count <= 8)
        let service = try source.lines(from: "// README-BEGIN", to: "// README-END")
        #expect(shown[1] == service)
        #expect(service.count <= 40)
    }
}

@Suite("The article about guarantees")
struct GuaranteesArticleTests {
    @Test("Each listing is an excerpt of a test of guarantees, word for word")
    func listings() throws {
        let page = try DocumentationPage("Sources/ActorStore/ActorStore.docc/Guarantees.md")
        let folder = "Tests/ActorStoreTests/Guarantees"
        let tests = try FileManager.default.contentsOfDirectory(atPath: DocumentationPage.root.path + "/" + folder)
            .map { try DocumentationPage("\(folder)/\($0)").trimmedLines.joined(separator: "\n") }
        #expect(page.listings.count >= 12)
        for listing in page.listings {
            let text = listing.joined(separator: "\n")
            #expect(tests.contains { $0.contains(text) }, "\(text)")
        }
    }
}

/// A file of the repository, by its lines without the white space around them and without empty ones.
private struct DocumentationPage {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    let trimmedLines: [String]

    init(_ path: String) throws {
        trimmedLines = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The Swift listings of a Markdown page.
    var listings: [[String]] {
        var listings: [[String]] = []
        var isInside = false
        for line in trimmedLines {
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

    /// The lines between the first one that is `begin` and the first one after it that is `end`.
    func lines(from begin: String, to end: String) throws -> [String] {
        let start = try #require(trimmedLines.firstIndex(of: begin)) + 1
        let finish = try #require(trimmedLines[start...].firstIndex(of: end))
        return Array(trimmedLines[start..<finish])
    }
}
