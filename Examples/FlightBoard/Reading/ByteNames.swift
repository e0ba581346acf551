/// The characters of the formats read here.
extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let minus = UInt8(ascii: "-")

    /// The value of an ASCII digit.
    var digitValue: Int? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? Int(value) : nil
    }
}
