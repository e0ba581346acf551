import Foundation
import Testing

@testable import TestFixtures

@Suite("The example of the README", .timeLimit(.minutes(10)))
struct ReadmeTests {
    struct OutOfStock: Error, CustomStringConvertible { let description = "the supplier is out of stock" }

    @Test("It refuses what it has not got, restocks when little is left, and shows the newest level in the end")
    func restocks() async throws {
        let levels = Collector<Int>()
        let state = try await serve([30, 12, 5], supplier: Supplier { $0 }) { levels.append($0) }
        #expect(state == Stock.State(available: 23, refused: 1))
        #expect(levels.elements.last == 23)
    }

    @Test("A supplier that fails leaves its reason in the state")
    func supplierFails() async throws {
        let levels = Collector<Int>()
        let supplier = Supplier { _ in throw OutOfStock() }
        let state = try await serve([12, 5], supplier: supplier) { levels.append($0) }
        #expect(state == Stock.State(available: 3, problem: "the supplier is out of stock"))
        #expect(levels.elements.last == 3)
    }

    @Test("It is the code that is compiled here, word for word, and at most 40 lines")
    func isTheCompiledCode() throws {
        let compiled = try Self.excerpt(
            of: try Self.text(of: "ReadmeExample.swift", in: Self.folder),
            from: "// README-BEGIN\n",
            to: "// README-END"
        )
        let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let shown = try Self.excerpt(of: try Self.text(of: "README.md", in: root), from: "```swift\n", to: "```")
        #expect(shown == compiled)
        #expect(shown.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static func text(of name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// What stands between the first `begin` and the first `end` after it, without blank lines around it.
    private static func excerpt(of text: String, from begin: String, to end: String) throws -> String {
        let start = try #require(text.range(of: begin)).upperBound
        let finish = try #require(text.range(of: end, range: start..<text.endIndex)).lowerBound
        return text[start..<finish].trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
