import Foundation
import Testing

/// `Documentation/Features.md` names tests by their sentences.
@Suite("The table of features", .timeLimit(.minutes(10)))
struct FeatureStatusTests {
    @Test("Every test that the table names exists in the suite that it names")
    func testsExist() throws {
        let table = try DocumentationPage("Documentation/Features.md").lines.joined(separator: "\n")
        let sources = try DocumentationPage.pages(below: "Tests", suffix: ".swift")
            .map { $0.lines.joined(separator: "\n") }
        let references = table.matches(of: /“([^”]+)” \(([^)]+)\)/)
        #expect(references.count > 100)
        for reference in references {
            let (sentence, suite) = ("\"\(reference.1)\"", "@Suite(\"\(reference.2)\"")
            #expect(
                sources.contains { $0.contains(sentence) && $0.contains(suite) },
                "There is no test \(sentence) in the suite \(reference.2)"
            )
        }
    }
}
