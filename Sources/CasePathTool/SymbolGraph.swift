import Foundation

/// The compiler's description of the declarations of a module, as far as enums need it.
struct SymbolGraph: Decodable {
    var symbols: [Symbol] = []
    var relationships: [Relationship] = []

    struct Symbol: Decodable {
        let kind: Kind
        let identifier: Identifier
        /// The names of the enclosing types and of the symbol: `["Feature", "Action", "row(id:action:)"]`.
        let pathComponents: [String]
        let accessLevel: AccessLevel
        let declarationFragments: [Fragment]?
        let swiftGenerics: Generics?
        let availability: [Availability]?
        let location: Location?
    }

    struct Kind: Decodable { let identifier: String }
    struct Identifier: Decodable { let precise: String }
    /// A piece of a declaration's text. Types in it have their fully qualified names.
    struct Fragment: Decodable { let kind, spelling: String }
    struct Generics: Decodable {}
    struct Availability: Decodable {}
    struct Location: Decodable { let uri: String }
    struct Relationship: Decodable { let kind, source, target: String }

    /// Reads all graphs of a module: its own, and those of its extensions of other modules' types.
    init(inFolder folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in files where file.lastPathComponent.hasSuffix(".symbols.json") {
            let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
            symbols += graph.symbols
            relationships += graph.relationships
        }
    }
}

enum AccessLevel: String, Decodable, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    private var rank: Int {
        switch self {
        case .private: 0
        case .fileprivate: 1
        case .internal: 2
        case .package: 3
        case .public, .open: 4
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
