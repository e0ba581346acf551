extension String {
    /// The text with control and invisible characters escaped.
    ///
    /// Codes and bad fields come from untrusted files and are displayed: an escape sequence in one must not move the
    /// cursor.
    func printable(limit: Int = 60) -> String {
        var result = ""
        for (count, scalar) in unicodeScalars.enumerated() {
            guard count < limit else { return result + "..." }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
