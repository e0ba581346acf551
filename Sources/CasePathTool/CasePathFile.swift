/// The text of a file with a case path for each case of some enums.
struct CasePathFile {
    /// The text; nil if there are no cases.
    let text: String?
    /// The enums and cases that are left out, with the reasons.
    let notes: [String]

    /// Creates the text from the compiler's description of a module.
    ///
    /// - Parameters:
    ///   - graph: The declarations of the module.
    ///   - names: The enums, such as `Feature.Action`; if empty, all enums whose name ends with `Action`.
    ///   - command: The command that regenerates the file.
    ///   - source: Returns the text of a source file.
    /// - Throws: ``MissingEnum`` if no enum has one of the names.
    init(
        _ graph: SymbolGraph,
        enums names: [String] = [],
        command: String,
        source: (_ uri: String) throws -> String
    ) throws {
        let enums = graph.symbols.filter { $0.kind.identifier == "swift.enum" }
            .filter { names.isEmpty ? $0.pathComponents.last?.hasSuffix("Action") == true : names.contains($0.path) }
            .sorted { $0.path < $1.path }
        if let missing = names.first(where: { name in !enums.contains { $0.path == name } }) {
            throw MissingEnum(name: missing)
        }
        let access = Dictionary(graph.symbols.map { ($0.path, $0.accessLevel) }) { first, _ in first }
        let owners = Dictionary(
            graph.relationships.filter { $0.kind == "memberOf" }.map { ($0.source, $0.target) }
        ) { first, _ in first }
        let cases = Dictionary(grouping: graph.symbols.filter { $0.kind.identifier == "swift.enum.case" }) {
            owners[$0.identifier.precise]
        }
        var notes: [String] = []
        var extensions: [String] = []
        var imports: Set<String> = []
        var level = AccessLevel.internal
        for root in enums {
            guard root.swiftGenerics == nil else {
                notes.append("\(root.path) is generic. Write its case paths by hand.")
                continue
            }
            guard root.availability == nil else {
                notes.append("\(root.path) is not available everywhere. Write its case paths by hand.")
                continue
            }
            let levels = root.pathComponents.indices.compactMap {
                access[root.pathComponents[...$0].joined(separator: ".")]
            }
            let members = Self.members(of: root, cases[root.identifier.precise] ?? [], &notes)
            let rootLevel = levels.min() ?? root.accessLevel
            extensions += members.map { Self.extension(of: root, $0, rootLevel) }
            guard let uri = root.location?.uri, !members.isEmpty else { continue }
            level = max(level, rootLevel)
            imports.formUnion(Self.imports(in: try source(uri)))
        }
        self.notes = notes
        text = extensions.isEmpty ? nil : Self.text(command, imports, level, extensions)
    }

    private static func text(
        _ command: String,
        _ imports: Set<String>,
        _ level: AccessLevel,
        _ extensions: [String]
    ) -> String {
        // Works for all users of the paths, whether or not imports are internal by default. The enum's file may import
        // the library in its own way.
        let modifier = level < .package ? "" : level == .package ? "package " : "public "
        var imports = imports.filter { $0 != "import ActorStore" }
        if !modifier.isEmpty || !imports.contains(where: { $0.hasSuffix("import ActorStore") }) {
            imports.insert("\(modifier)import ActorStore")
        }
        return """
            // Generated; do not edit. To renew it:
            // \(command)
            // swift-format-ignore-file

            \(imports.sorted().joined(separator: "\n"))

            \(extensions.joined(separator: "\n\n"))

            """
    }

    /// Returns the cases that can have paths, sorted by name.
    private static func members(
        of root: SymbolGraph.Symbol,
        _ cases: [SymbolGraph.Symbol],
        _ notes: inout [String]
    ) -> [EnumCase] {
        var members: [EnumCase] = []
        for symbol in cases.sorted(by: { $0.path < $1.path }) {
            if EnumCase(symbol)?.namesParameterOfCasePath == true {
                let reason = "has a value of a type that is named as a parameter of CasePath<Root, Value>"
                notes.append("\(symbol.path) \(reason). Write its case path by hand.")
            } else if symbol.availability != nil {
                notes.append("\(symbol.path) is not available everywhere. Write its case path by hand.")
            } else if let member = EnumCase(symbol) {
                members.append(member)
            } else {
                notes.append("\(symbol.path) has a default value that cannot be read. Write its case path by hand.")
            }
        }
        let groups = Dictionary(grouping: members) { "\($0.name): \($0.valueType)" }
        return members.filter { member in
            guard let same = groups["\(member.name): \(member.valueType)"], same.count > 1 else { return true }
            let note = """
                \(root.path) has \(same.count) cases \(member.name) that differ only in labels. Write their case paths by hand.
                """
            if notes.last != note { notes.append(note) }
            return false
        }
    }

    private static func `extension`(of root: SymbolGraph.Symbol, _ member: EnumCase, _ level: AccessLevel) -> String {
        let prefix =
            switch level {
            case .public, .open: "public "
            case .package: "package "
            default: ""
            }
        return """
            extension CasePath where Root == \(root.path), Value == \(member.valueType) {
                /// The case `\(member.name.filter { $0 != "`" })` of `\(root.path)`.
                \(prefix)nonisolated static var \(member.name): Self {
                    Self(
                        embed: { \(member.embedding) },
                        extract: { \(member.extraction) }
                    )
                }
            }
            """
    }

    /// Returns the imports of a source file, which its declarations need.
    private static func imports(in source: String) -> [String] {
        let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        return source.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.prefix { $0 != "/" }.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import") else { return nil }
            let isImport = words[..<keyword].allSatisfy { $0.hasPrefix("@") || modifiers.contains($0) }
            return isImport ? words.joined(separator: " ") : nil
        }
    }
}

struct MissingEnum: Error, CustomStringConvertible {
    let name: String

    var description: String {
        "No enum \(name) is visible to other files. Name a nested enum with its enclosing types: Feature.Action."
    }
}

extension SymbolGraph.Symbol {
    var path: String { pathComponents.joined(separator: ".") }
}
