import Foundation
import Testing

/// The code of each guide is that of the test source beside this file which bears its name.
@Suite("The guides", .timeLimit(.minutes(10)))
struct GuideTests {
    @Test(
        "Every listing of a guide is compiled and run here, word for word",
        arguments: [
            "ComingFromUDF", "ComingFromPuredux", "ComingFromKatana", "ComingFromTheComposableArchitecture",
            "ComingFromReSwift", "Concurrency", "Effects", "ManyStores", "Requests", "StateDrivenEffects",
        ]
    )
    func listingsAreCompiled(name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let module = Self.modules[name] ?? "ActorStore"
        let path = "Sources/\(module)/\(module).docc/\(name).md"
        let article = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let source = try String(contentsOf: folder.appending(path: "\(name)Tests.swift"), encoding: .utf8)
        let compiled = Self.withoutIndentation(source)
        let listings = Self.listings(of: article)
        #expect(listings.count >= 3)
        for listing in listings {
            #expect(compiled.contains(Self.withoutIndentation(listing)), "Not in the test source:\n\(listing)")
        }
    }

    /// The modules whose guides these are, if that is not ActorStore.
    private static let modules = ["ManyStores": "ActorStoreGroups", "StateDrivenEffects": "ActorStoreCommands"]

    /// What stands between the fences of Swift code.
    static func listings(of article: String) -> [String] {
        article.components(separatedBy: "\n```swift\n").dropFirst().map { rest in
            rest.components(separatedBy: "\n```")[0]
        }
    }

    /// Code in a test is indented deeper than in an article.
    static func withoutIndentation(_ text: String) -> String {
        let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return "\n" + lines.joined(separator: "\n") + "\n"
    }
}
