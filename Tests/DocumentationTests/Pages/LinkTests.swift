import Foundation
import Testing

@Suite("The links of the pages")
struct LinkTests {
    /// A link of a page to a file of the repository.
    struct Link {
        let page: DocumentationPage
        /// As it is written in the page, without what follows a `#`.
        let target: String
        /// What follows the `#`.
        let section: String?

        /// The path below the root of the repository, where `..` has been resolved.
        var path: String {
            guard !target.isEmpty else { return page.path }
            let folder = DocumentationPage.root.appending(path: page.path).deletingLastPathComponent()
            let file = folder.appending(path: target).standardizedFileURL.path
            return String(file.dropFirst(DocumentationPage.root.standardizedFileURL.path.count + 1))
        }
    }

    /// The pages that are read as files, not as a part of a catalogue.
    static func pages() throws -> [DocumentationPage] {
        let manager = FileManager.default
        let top = try manager.contentsOfDirectory(atPath: DocumentationPage.root.path).filter { $0.hasSuffix(".md") }
            .sorted()
        let folders = try ["Documentation", "Examples", "Perf"].flatMap {
            try DocumentationPage.pages(below: $0, suffix: ".md")
        }
        return try top.map { try DocumentationPage($0) } + folders
    }

    static func links(of page: DocumentationPage) -> [Link] {
        // A link may continue in the next line between its words, never within its target.
        page.lines.joined(separator: "\n").matches(of: /\]\(([^)\s]+)\)/).compactMap { match in
            let parts = match.output.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init
            )
            guard !parts[0].contains("://"), !parts[0].hasPrefix("mailto:") else { return nil }
            return Link(page: page, target: parts[0], section: parts.count == 2 ? parts[1] : nil)
        }
    }

    /// The names of a page's sections in links: in lower case, without punctuation, with a hyphen for each space.
    static func sections(of page: DocumentationPage) -> Set<String> {
        Set(
            page.lines.filter { $0.hasPrefix("#") && $0.drop { $0 == "#" }.hasPrefix(" ") }.map { line in
                let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
                return String(
                    title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 }
                )
            }
        )
    }

    @Test("Each link to a file or to a section of a page leads there")
    func links() throws {
        let links = try Self.pages().flatMap(Self.links)
        #expect(links.count > 100)
        for link in links {
            let file = DocumentationPage.root.appending(path: link.path).path
            #expect(FileManager.default.fileExists(atPath: file), "\(link.page.path) links to \(link.target)")
            guard let section = link.section, link.path.hasSuffix(".md"), FileManager.default.fileExists(atPath: file)
            else {
                continue
            }
            let isSection = Self.sections(of: try DocumentationPage(link.path)).contains(section)
            #expect(isSection, "\(link.page.path) links to \(link.path)#\(section)")
        }
    }

    @Test("The page of all documents links to every article of every catalogue, and to every page of declarations")
    func index() throws {
        let page = try DocumentationPage("Documentation/README.md")
        let linked = Set(Self.links(of: page).map(\.path))
        let articles = try ["Sources", "Documentation/API"].flatMap {
            try DocumentationPage.pages(below: $0, suffix: ".md")
        }
        #expect(articles.count > 40)
        let missing = articles.map(\.path).filter { !linked.contains($0) }
        #expect(missing == [])
    }
}
