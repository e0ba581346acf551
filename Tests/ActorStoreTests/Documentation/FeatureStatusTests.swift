import Foundation
import Testing

/// `Documentation/Features.md` names tests by their sentences.
@Suite("The table of features", .timeLimit(.minutes(10)))
struct FeatureStatusTests {
    @Test("Every test that the table names exists in the suite that it names")
    func testsExist() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = try String(
            contentsOf: root.appending(path: "Documentation/Features.md"),
            encoding: .utf8
        )
        let sources = try Self.sources(below: root.appending(path: "Tests"))
        let references = article.matches(of: /“([^”]+)” \(([^)]+)\)/)
        #expect(references.count > 100)
        for reference in references {
            let (sentence, suite) = ("\"\(reference.1)\"", "@Suite(\"\(reference.2)\"")
            #expect(
                sources.contains { $0.contains(sentence) && $0.contains(suite) },
                "There is no test \(sentence) in the suite \(reference.2)"
            )
        }
    }

    private static func sources(below folder: URL) throws -> [String] {
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
