import Foundation

/// Numbers for readers.
enum NumberText {
    /// Such as `27,004`.
    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return result
    }

    /// With that number of digits after the point, or a dash for nil.
    static func decimal(_ number: Double?, digits: Int) -> String {
        guard let number else { return "-" }
        return String(format: "%.\(digits)f", number)
    }

    /// A rate, or a dash for a duration of zero.
    static func rate(_ count: UInt64, over seconds: Double) -> String {
        seconds > 0 ? grouped(Int(min(Double(count) / seconds, 1e15))) : "-"
    }
}
