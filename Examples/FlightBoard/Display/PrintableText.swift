extension String {
    /// The text with everything a terminal would obey, or a reader could not see, spelled out.
    ///
    /// Codes and bad fields come from files that anyone may have written, and are shown to people: an escape sequence
    /// in one must not move their cursor.
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
