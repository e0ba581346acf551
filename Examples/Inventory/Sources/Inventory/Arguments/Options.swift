/// Arguments as pairs of a name and a value.
struct Options: Sendable {
    private var values: [String: String] = [:]

    /// - Parameter names: The known options; others are refused.
    init(_ arguments: some Sequence<String>, names: Set<String>) throws(ArgumentsError) {
        var iterator = arguments.makeIterator()
        while let name = iterator.next() {
            guard names.contains(name) else { throw .unknown(name) }
            guard let value = iterator.next(), !value.isEmpty else { throw .missing("the value of \(name)") }
            values[name] = value
        }
    }

    func text(_ name: String) throws(ArgumentsError) -> String {
        guard let value = values[name] else { throw .missing(name) }
        return value
    }

    /// One of a few words; nil without the option.
    func choice<Choice: RawRepresentable<String>>(_ name: String) throws(ArgumentsError) -> Choice? {
        guard let text = values[name] else { return nil }
        guard let choice = Choice(rawValue: text) else { throw .invalid(name, text) }
        return choice
    }

    func number<Number: FixedWidthInteger>(
        _ name: String,
        in range: ClosedRange<Number>
    ) throws(ArgumentsError) -> Number? {
        guard let text = values[name] else { return nil }
        guard let number = Number(text), range.contains(number) else { throw .invalid(name, text) }
        return number
    }
}
