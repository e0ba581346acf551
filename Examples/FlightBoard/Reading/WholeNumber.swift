/// Reads decimal integers from a file's bytes, never past a range.
enum WholeNumber {
    /// A number such as `-12`. The digits are checked to the end even when the number is far too large to hold.
    static func parse(_ bytes: ArraySlice<UInt8>, in range: ClosedRange<Int>) throws(FieldProblem) -> Int {
        let isNegative = bytes.first == .minus
        let digits = isNegative ? bytes.dropFirst() : bytes
        guard !digits.isEmpty else { throw .notWholeNumber }
        var magnitude = 0
        var overflows = false
        for byte in digits {
            guard let digit = byte.digitValue else { throw .notWholeNumber }
            let (tens, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = tens.addingReportingOverflow(digit)
            overflows = overflows || first || second
            magnitude = overflows ? 0 : sum
        }
        let value = isNegative ? -magnitude : magnitude
        guard !overflows, range.contains(value) else { throw .outOfRange(range) }
        return value
    }

    /// Reads a number, or nil for `NA`.
    static func parseIfAvailable(
        _ bytes: ArraySlice<UInt8>,
        in range: ClosedRange<Int>
    ) throws(FieldProblem) -> Int? {
        isNotAvailable(bytes) ? nil : try parse(bytes, in: range)
    }

    /// Whether a field is `NA`, the files' notation for a missing value.
    static func isNotAvailable(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.elementsEqual([UInt8(ascii: "N"), UInt8(ascii: "A")])
    }
}
