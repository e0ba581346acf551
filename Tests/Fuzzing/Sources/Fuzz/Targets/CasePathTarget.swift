import ActorStore

/// Case paths by reflection, beside handwritten accesses to the same values.
enum CasePathTarget {
    static func run(_ bytes: inout Bytes) {
        // Made anew for each input, because a path remembers where it has found a value.
        let comparison = comparisons[bytes.below(comparisons.count)]()
        while let depth = bytes.next() {
            let root = Shape(from: &bytes, depth: Int(depth % 4))
            demand(comparison(root))
        }
    }

    /// Compares a path with its expected results, for one root after the other.
    private typealias Comparison = @Sendable (Shape) -> String?

    private static let comparisons: [@Sendable () -> Comparison] = [
        { compare(Shape.number) { if case .number(let value) = $0 { value } else { nil } } },
        { compare(Shape.other) { if case .other(let value) = $0 { value } else { nil } } },
        { compare(Shape.labelled) { if case .labelled(let value) = $0 { value } else { nil } } },
        { compare(Shape.text) { if case .text(let value) = $0 { value } else { nil } } },
        { compare(Shape.real) { if case .real(let value) = $0 { value } else { nil } } },
        {
            compare(Shape.optional) { (root: Shape) -> Int?? in
                if case .optional(let value) = root { value } else { nil }
            }
        },
        { compare(Shape.inner) { if case .inner(let value) = $0 { value } else { nil } } },
        { compare(Shape.itself) { if case .itself(let value) = $0 { value } else { nil } } },
        { compare(Shape.numbers) { if case .numbers(let value) = $0 { value } else { nil } } },
        { compare({ .pair($0, 1) }) { if case .pair(let value, 1) = $0 { value } else { nil } } },
        { compare({ .pair(1, $0) }) { if case .pair(1, let value) = $0 { value } else { nil } } },
        { compare({ .named(first: 1, second: $0) }) { if case .named(1, let value) = $0 { value } else { nil } } },
        { compare({ .inner(.one($0)) }) { if case .inner(.one(let value)) = $0 { value } else { nil } } },
        {
            compare({ .inner(.two($0, "é")) }) { root in
                if case .inner(.two(let value, let text)) = root, isSame(text, "é") { value } else { nil }
            }
        },
        { compare({ .both($0, .nothing) }) { if case .both(let value, .nothing) = $0 { value } else { nil } } },
        { compare({ .both(.one(1), $0) }) { if case .both(.one(1), let value) = $0 { value } else { nil } } },
        { compare({ .itself(.number($0)) }) { if case .itself(.number(let value)) = $0 { value } else { nil } } },
        {
            compare({ .itself(.both(.one(0), $0)) }) { root in
                if case .itself(.both(.one(0), let value)) = root { value } else { nil }
            }
        },
        {
            compare({ .measured(0, $0) }) { root in
                if case .measured(let measure, let value) = root, isSame(measure, 0) { value } else { nil }
            }
        },
        { compare({ (value: Shape) in value }) { $0 } },
    ]

    private static func compare<Value>(
        _ embed: @escaping @Sendable (Value) -> Shape,
        _ extract: @escaping @Sendable (Shape) -> Value?
    ) -> Comparison {
        let path = CasePath(embed)
        return { root in
            let (found, expected) = (path.extract(from: root), extract(root))
            guard isSame(found, expected) else {
                return "In \(String(reflecting: root)) it found \(String(reflecting: found)), not \(expected as Any)."
            }
            return found.map { isSame(path.embed($0), root) } ?? true ? nil : "It embeds a value found elsewhere."
        }
    }

    /// Whether two values are identical also beyond `==`: in the bits of numbers and of characters.
    private static func isSame<Value>(_ left: Value, _ right: Value) -> Bool {
        String(reflecting: left).utf8.elementsEqual(String(reflecting: right).utf8)
    }
}

/// An enum with cases that are easily confused.
private indirect enum Shape: Sendable {
    case nothing, nobody
    case number(Int)
    case other(Int)
    case labelled(value: Int)
    case pair(Int, Int)
    case named(first: Int, second: Int)
    case text(String)
    case real(Double)
    case measured(Double, Int)
    case optional(Int?)
    case inner(Inner)
    case both(Inner, Shape)
    case itself(Shape)
    case numbers([Int])

    enum Inner: Sendable {
        case none
        case one(Int)
        case two(Int, String)
    }

    /// - Parameter depth: The maximum number of nested shapes.
    init(from bytes: inout Bytes, depth: Int) {
        switch bytes.below(depth > 0 ? 15 : 12) {
        case 0: self = .nothing
        case 1: self = .nobody
        case 2: self = .number(bytes.below(3))
        case 3: self = .other(bytes.below(3))
        case 4: self = .labelled(value: bytes.below(3))
        case 5: self = .pair(bytes.below(3), bytes.below(3))
        case 6: self = .named(first: bytes.below(3), second: bytes.below(3))
        case 7: self = .text(Self.text(from: &bytes))
        case 8: self = .real(Self.real(from: &bytes))
        case 9: self = .measured(Self.real(from: &bytes), bytes.below(3))
        case 10: self = .optional(bytes.isTrue() ? bytes.below(3) : nil)
        case 11: self = .inner(Inner(from: &bytes))
        case 12: self = .both(Inner(from: &bytes), Shape(from: &bytes, depth: depth - 1))
        case 13: self = .itself(Shape(from: &bytes, depth: depth - 1))
        default: self = .numbers((0..<bytes.below(4)).map { _ in bytes.below(3) })
        }
    }

    /// Two equal values that are not identical.
    fileprivate static func text(from bytes: inout Bytes) -> String { ["é", "e\u{301}", ""][bytes.below(3)] }

    private static func real(from bytes: inout Bytes) -> Double { [0, -0.0, .nan, 1][bytes.below(4)] }
}

extension Shape.Inner {
    fileprivate init(from bytes: inout Bytes) {
        switch bytes.below(3) {
        case 0: self = .none
        case 1: self = .one(bytes.below(3))
        default: self = .two(bytes.below(3), Shape.text(from: &bytes))
        }
    }
}
