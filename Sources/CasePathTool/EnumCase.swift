/// A case of an enum, as its declaration in a symbol graph describes it.
struct EnumCase {
    /// The name, in backticks if it is a reserved word.
    let name: String
    /// The label of each associated value; nil for a value without a label.
    let labels: [String?]
    /// The type of each associated value.
    let types: [String]

    /// Reads a case. Returns nil if the declaration cannot be read, because a default value is too complicated.
    init?(_ symbol: SymbolGraph.Symbol) {
        guard let fragments = symbol.declarationFragments,
            let name = fragments.first(where: { $0.kind == "identifier" })?.spelling,
            let signature = symbol.pathComponents.last
        else { return nil }
        self.name = name
        labels =
            signature.split(separator: "(").dropFirst().first
            .map { $0.split(separator: ":").dropLast().map { $0 == "_" ? nil : String($0) } } ?? []
        let declaration = fragments.map(\.spelling).joined()
        if labels.isEmpty {
            types = []
        } else {
            guard let start = declaration.firstIndex(of: "("), declaration.last == ")" else { return nil }
            let values = declaration[declaration.index(after: start)...].dropLast()
            types = values.splitOutsideBrackets(at: ",").map(Self.type(of:))
        }
        guard types.count == labels.count else { return nil }
    }

    /// Returns the type in `label: Type = default`.
    private static func type(of value: Substring) -> String {
        let withLabel = value.splitOutsideBrackets(at: "=")[0]
        let parts = withLabel.splitOutsideBrackets(at: ":")
        return (parts.count > 1 ? parts[1] : parts[0]).trimmingSpaces()
    }

    /// The type of the case path's value: `Void`, the only associated value, or a tuple.
    var valueType: String {
        switch types.count {
        case 0: return "Void"
        case 1: return types[0].contains("->") ? "(\(types[0]))" : types[0]
        default:
            let elements = zip(labels, types).map { label, type in label.map { "\($0): \(type)" } ?? type }
            return "(\(elements.joined(separator: ", ")))"
        }
    }

    /// Whether a type has the name of a generic parameter of `CasePath`, so that an extension of `CasePath` cannot name
    /// it.
    var namesParameterOfCasePath: Bool {
        types.contains { type in
            type.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.contains { name in
                let first = name.prefix { $0 != "." }
                return first == "Root" || first == "Value"
            }
        }
    }

    /// The expression that embeds the value `$0` in the root.
    var embedding: String {
        if labels.isEmpty { return ".\(name)" }
        let values = labels.enumerated().map { index, label in
            (label.map { "\($0): " } ?? "") + (labels.count == 1 ? "$0" : "$0.\(index)")
        }
        return ".\(name)(\(values.joined(separator: ", ")))"
    }

    /// The expression that extracts the value from the root `$0`. Labels in the pattern distinguish cases that differ
    /// only in labels.
    var extraction: String {
        if labels.isEmpty { return "if case .\(name) = $0 { () } else { nil }" }
        let names = labels.count == 1 ? ["value"] : labels.indices.map { "value\($0)" }
        let pattern = zip(labels, names).map { label, name in (label.map { "\($0): " } ?? "") + "let \(name)" }
        let value = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
        return "if case .\(name)(\(pattern.joined(separator: ", "))) = $0 { \(value) } else { nil }"
    }
}

extension Substring {
    /// Splits at a character, except within brackets, angle brackets and string literals.
    fileprivate func splitOutsideBrackets(at separator: Character) -> [Substring] {
        var (depth, start, previous, isInString): (Int, Index, Character, Bool) = (0, startIndex, " ", false)
        var parts: [Substring] = []
        for index in indices {
            switch self[index] {
            case "\"" where previous != "\\": isInString.toggle()
            case _ where isInString: break
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}": depth -= 1
            case ">" where previous != "-": depth -= 1
            case separator where depth == 0:
                parts.append(self[start..<index])
                start = self.index(after: index)
            default: break
            }
            previous = self[index]
        }
        return parts + [self[start...]]
    }

    fileprivate func trimmingSpaces() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
