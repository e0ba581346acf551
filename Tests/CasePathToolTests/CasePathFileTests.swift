import Foundation
import Testing

@testable import CasePathTool

@Suite("The generated file of case paths", .timeLimit(.minutes(10)))
struct CasePathFileTests {
    /// The compiler's output for enums with one case each.
    private func graph(_ symbols: String...) throws -> SymbolGraph {
        let json =
            #"{"symbols": [\#(symbols.joined(separator: ","))], "relationships": [\#(memberships(of: symbols))]}"#
        return try JSONDecoder().decode(SymbolGraph.self, from: Data(json.utf8))
    }

    private func memberships(of symbols: [String]) -> String {
        symbols.compactMap { $0.firstMatch(of: /"precise": "((\w+)\.case\d*)"/) }
            .map { #"{"kind": "memberOf", "source": "\#($0.1)", "target": "\#($0.2)"}"# }
            .joined(separator: ",")
    }

    private func enumeration(_ id: String, _ path: String, _ access: String = "internal", more: String = "") -> String {
        symbol("swift.enum", id, path.split(separator: ".").map(String.init), access, "", more)
    }

    /// - Parameter values: The text of the declaration after the case's name.
    private func enumCase(_ id: String, _ path: [String], _ name: String, _ values: String, more: String = "") -> String
    {
        let fragments = """
            {"kind": "keyword", "spelling": "case"}, {"kind": "text", "spelling": " "},
            {"kind": "identifier", "spelling": "\(name)"}, {"kind": "text", "spelling": "\(values)"}
            """
        return symbol("swift.enum.case", id, path, "internal", fragments, more)
    }

    private func symbol(
        _ kind: String,
        _ id: String,
        _ path: [String],
        _ access: String,
        _ fragments: String,
        _ more: String
    ) -> String {
        """
        {"kind": {"identifier": "\(kind)"}, "identifier": {"precise": "\(id)"}, "pathComponents": \(path),
        "accessLevel": "\(access)", "declarationFragments": [\(fragments)], "location": {"uri": "file:///a.swift"}\(more)}
        """
    }

    private func file(_ graph: SymbolGraph, enums: [String] = [], source: String = "") throws -> CasePathFile {
        try CasePathFile(graph, enums: enums, command: "swift package renew") { _ in source }
    }

    @Test("A file has a header, the imports of the enums' files, and an extension for each case")
    func wholeFile() throws {
        let graph = try graph(
            enumeration("a", "App.Action"),
            enumCase("a.case", ["App", "Action", "row(id:_:)"], "row", "(id: Int, _: [Int : URL] = [:])")
        )
        let source = """
            // import Nothing
            @preconcurrency public  import Foundation  // why
            struct S { let important = "import Nowhere" }
            """
        let text = try file(graph, source: source).text
        #expect(
            text == """
                // Generated; do not edit. To renew it:
                // swift package renew
                // swift-format-ignore-file

                @preconcurrency public import Foundation
                import ActorStore

                extension CasePath where Root == App.Action, Value == (id: Int, [Int : URL]) {
                    /// The case `row` of `App.Action`.
                    nonisolated static var row: Self {
                        Self(
                            embed: { .row(id: $0.0, $0.1) },
                            extract: { if case .row(id: let value0, let value1) = $0 { (value0, value1) } else { nil } }
                        )
                    }
                }

                """
        )
    }

    @Test("The order of the file does not depend on the order of the symbols")
    func order() throws {
        let symbols = [
            enumeration("a", "AAction"), enumeration("b", "BAction"), enumCase("a.case1", ["AAction", "x"], "x", ""),
            enumCase("a.case2", ["AAction", "y"], "y", ""), enumCase("b.case", ["BAction", "w"], "w", ""),
        ]
        let texts = try [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 1, 0, 3]].map { order in
            let json = """
                {"symbols": [\(order.map { symbols[$0] }.joined(separator: ","))], "relationships": [\(memberships(of: symbols))]}
                """
            return try file(JSONDecoder().decode(SymbolGraph.self, from: Data(json.utf8))).text
        }
        #expect(Set(texts).count == 1)
        let names = try #require(texts[0]).matches(of: /static var (\w)/).map(\.1)
        #expect(names == ["x", "y", "w"])
    }

    @Test("A path is public if the enum and all types around it are, and never more visible")
    func access() throws {
        let member = enumCase("a.case", ["Outer", "Action", "x"], "x", "")
        let outer = { symbol("swift.struct", "o", ["Outer"], $0, "", "") }
        let expected = ["public": "public nonisolated static", "package": "package nonisolated static"]
        for level in ["public", "package", "internal"] {
            let text = try file(graph(outer(level), enumeration("a", "Outer.Action", "public"), member)).text
            #expect(
                text?.contains("    \(expected[level] ?? "nonisolated static") var x") == true,
                "in a \(level) type"
            )
            // Imports may be internal by default.
            let modifier = level == "internal" ? "" : "\(level) "
            #expect(text?.contains("\n\(modifier)import ActorStore\n") == true, "in a \(level) type")
        }
    }

    @Test("Enums are those with a name that ends with Action, or the given ones")
    func chosenEnums() throws {
        let graph = try graph(
            enumeration("a", "AppAction"),
            enumeration("s", "Screen.State"),
            enumCase("a.case", ["AppAction", "x"], "x", ""),
            enumCase("s.case", ["Screen", "State", "y"], "y", "")
        )
        #expect(try file(graph).text?.contains(/Root == AppAction(.|\n)*Screen/) == false)
        let named = try file(graph, enums: ["Screen.State"]).text
        #expect(named?.contains("Root == Screen.State") == true && named?.contains("AppAction") == false)
        #expect(throws: MissingEnum.self) { try file(graph, enums: ["State"]) }
    }

    @Test("Generic enums, limited availability and cases that differ only in labels are skipped, with a note")
    func leftOut() throws {
        let generic = try graph(
            enumeration("g", "Box.Action", more: #", "swiftGenerics": {"parameters": []}"#),
            enumCase("g.case", ["Box", "Action", "put(_:)"], "put", "(Content)")
        )
        #expect(try file(generic).text == nil)
        #expect(try file(generic).notes == ["Box.Action is generic. Write its case paths by hand."])
        let labels = try graph(
            enumeration("a", "AppAction"),
            enumCase("a.case1", ["AppAction", "same(x:)"], "same", "(x: Int)"),
            enumCase("a.case2", ["AppAction", "same(y:)"], "same", "(y: Int)"),
            enumCase("a.case3", ["AppAction", "new"], "new", "", more: #", "availability": [{"domain": "macOS"}]"#),
            enumCase("a.case4", ["AppAction", "set(_:)"], "set", "([Value])"),
            enumCase("a.case5", ["AppAction", "tree(_:)"], "tree", "(Root.Leaf)")
        )
        #expect(try file(labels).text == nil)
        #expect(
            try file(labels).notes == [
                "AppAction.new is not available everywhere. Write its case path by hand.",
                "AppAction.set(_:) has a value of a type that is named as a parameter of CasePath<Root, Value>. Write its case path by hand.",
                "AppAction.tree(_:) has a value of a type that is named as a parameter of CasePath<Root, Value>. Write its case path by hand.",
                "AppAction has 2 cases same that differ only in labels. Write their case paths by hand.",
            ]
        )
    }

    @Test("Types are read whole, with functions, generic arguments, tuples and default values")
    func types() throws {
        let values = [
            "(@Sendable (Int, Int) -> [String : Int])": ["@Sendable (Int, Int) -> [String : Int]"],
            "(Result<Int, any Error>, (a: Int, Int))": ["Result<Int, any Error>", "(a: Int, Int)"],
            #"(Int = 3, String = \"a, (b\")"#: ["Int", "String"],
            "(_: Int)": ["Int"],
        ]
        for (text, types) in values {
            let labels = String(repeating: "_:", count: types.count)
            let json = enumCase("a.case", ["AppAction", "x(\(labels))"], "x", text)
            let symbol = try JSONDecoder().decode(SymbolGraph.Symbol.self, from: Data(json.utf8))
            #expect(EnumCase(symbol)?.types == types, "in \(text)")
        }
    }
}
