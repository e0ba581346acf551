extension Duration {
    /// The duration in seconds, rounded to milliseconds: `7.417 seconds`. The description of `Duration` has all digits of
    /// a floating-point number: `7.417427332999999 seconds`.
    var secondsText: String {
        let unit: Int128 = 1_000_000_000_000_000
        let (milliseconds, sign) = (
            (attoseconds.magnitude + unit.magnitude / 2) / unit.magnitude, attoseconds < 0 ? "-" : ""
        )
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        var digits = String(1_000 + rest).dropFirst()
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        return "\(sign)\(seconds).\(digits) seconds"
    }
}
