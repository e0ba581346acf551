/// What differs between two versions of a value, in lines that a person can read.
///
/// ```swift
/// print(ValueDifference(from: before, to: after))
/// //   State(
/// // -   count: 1
/// // +   count: 2
/// //     … (3 unchanged)
/// //   )
/// ```
///
/// Only what differs is shown, with the path to it. Two values that are `Equatable` and equal are not looked into.
/// Elements of arrays are matched in order, so that an insertion is one added line; those of dictionaries and sets by
/// the keys and elements themselves, also where their descriptions are the same. Types with a description of their own
/// are shown by it, the outermost one excepted, and what is ``Redactable`` is left out.
///
/// - Complexity: O(*n* · *d*), where *n* is the size of the collections and structures that differ, and *d* how deep
///   they are nested: at each level, what is below it is compared to find out which parts differ. What was added or
///   removed as a whole costs O(*n*), once more for each set around it, which sorts its elements by their descriptions.
///   Arrays of which more than the ends differ cost the product of their lengths, up to a length of 1,000, and are
///   compared place by place beyond.
package struct ValueDifference: Sendable, Equatable, CustomStringConvertible {
    /// One line of a difference.
    package struct Line: Sendable, Equatable, CustomStringConvertible {
        /// What a line says.
        package enum Kind: Sendable, Equatable {
            /// Part of both; the way to what differs.
            case same
            /// Part of the old value only.
            case removed
            /// Part of the new value only.
            case added
            /// A note: how much was left out here.
            case note
        }

        /// What the line says.
        package let kind: Kind
        /// How deep it stands in the structure.
        package let depth: Int
        /// Its text, without marks and indentation.
        package let text: String

        /// The line as it is printed, with `-` or `+` in front.
        package var description: String {
            let mark = kind == .removed ? "-" : kind == .added ? "+" : " "
            return "\(mark) \(String(repeating: "  ", count: depth))\(text)"
        }
    }

    /// The lines, from the outermost type to its end; none if nothing differs.
    package let lines: [Line]

    /// Whether nothing differs that could be shown.
    package var isEmpty: Bool { lines.isEmpty }

    /// Compares two versions of a value.
    ///
    /// - Parameters:
    ///   - old: The earlier one.
    ///   - new: The later one.
    ///   - maximumElements: How many elements of a collection that was added or removed as a whole are written. Less
    ///     than zero counts as zero.
    package init<Value>(from old: Value, to new: Value, maximumElements: Int = 32) {
        lines = ValueComparison(maximumElements: maximumElements).compare(old, new, isOutermost: true)
    }

    /// The lines below each other; empty if nothing differs.
    package var description: String { lines.map(\.description).joined(separator: "\n") }
}
