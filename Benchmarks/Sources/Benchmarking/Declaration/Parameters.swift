/// The difference between benchmarks of the same name: the name of each parameter, and its value.
public typealias Parameters = [String: ParameterValue]

/// The value of a parameter of a benchmark.
public enum ParameterValue: Sendable, Hashable, Codable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// A whole number.
    case integer(Int)
    /// Another number.
    case real(Double)
    /// A text.
    case text(String)

    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Another number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A number, as an integer if possible, in the form read from a file.
    public init(_ number: Double) {
        self = Int(exactly: number).map { .integer($0) } ?? .real(number)
    }

    /// Reads a number or a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Writes the bare number or text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }

    /// The value as shown in reports, integers with separators.
    public var description: String {
        switch self {
        case .integer(let value): NumberText.grouped(value)
        case .real(let value): NumberText.short(value)
        case .text(let value): value
        }
    }

    /// The value as a number, for the axis of a plot.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .text: nil
        }
    }
}

extension Parameters {
    /// The parameters sorted by name, as `name=value`.
    var text: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
