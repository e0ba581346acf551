import Foundation
import Testing

@testable import TestFixtures

@Suite("The listings of the README", .timeLimit(.minutes(10)))
struct ReadmeTests {
    struct OutOfStock: Error, CustomStringConvertible { let description = "the supplier is out of stock" }

    @Test("The shop of the README rejects missing goods, restocks low stock, and shows the newest level in the end")
    func restocks() async throws {
        let levels = Collector<Int>()
        let state = try await serve([30, 12, 5], by: Stock { $0 }) { levels.append($0) }
        #expect(state == Stock.State(available: 23, refused: 1))
        #expect(levels.elements.last == 23)
    }

    @Test("A failing supplier leaves its reason in the state")
    func supplierFails() async throws {
        let levels = Collector<Int>()
        let stock = Stock { _ in throw OutOfStock() }
        let state = try await serve([12, 5], by: stock) { levels.append($0) }
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
        let source = try DocumentationPage("Tests/DocumentationTests/Pages/ReadmeExample.swift")
        let page = try DocumentationPage("README.md")
        let shown = page.listings.map { $0.filter { !$0.isEmpty } }
        try #require(shown.count == 2)
        let program = try source.filledLines(from: "// PROGRAM-BEGIN", to: "// PROGRAM-END")
        #expect(shown[0] == ["import ActorStore"] + program)
        #expect(program.count <= 8)
        let service = try source.filledLines(from: "// README-BEGIN", to: "// README-END")
        #expect(shown[1] == ["import ActorStore"] + service)
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
            .map { try DocumentationPage("\(folder)/\($0)").filledLines.joined(separator: "\n") }
        #expect(page.listings.count >= 12)
        for listing in page.listings {
            let text = listing.filter { !$0.isEmpty }.joined(separator: "\n")
            #expect(tests.contains { $0.contains(text) }, "\(text)")
        }
    }
}
