/// Finds the lines of a ``ValueDifference``.
struct ValueComparison {
    typealias Line = ValueDifference.Line

    private let context: ValueContext
    /// What is longer than this is written over several lines.
    private static let widestLine = 72

    init(maximumElements: Int) {
        context = ValueContext(maximumElements: maximumElements)
    }

    /// Whether two values are equal, or show no difference if they cannot be compared.
    func areSame(_ old: Any, _ new: Any) -> Bool { Self.areEqual(old, new) ?? compare(old, new).isEmpty }

    /// - Returns: no lines if nothing differs.
    func compare(
        _ old: Any,
        _ new: Any,
        label: String? = nil,
        depth: Int = 0,
        in contexts: (old: ValueContext, new: ValueContext)? = nil,
        isOutermost: Bool = false
    ) -> [Line] {
        let areEqual = Self.areEqual(old, new)
        if areEqual == true { return [] }
        let contexts = contexts ?? (context, context)
        func replaced() -> [Line] {
            lines(of: old, in: contexts.old, label, depth, .removed)
                + lines(of: new, in: contexts.new, label, depth, .added)
        }
        let (insideOld, insideNew) = (contexts.old.inside(old), contexts.new.inside(new))
        if insideOld == nil, insideNew == nil { return [] }
        guard let insideOld, let insideNew else { return replaced() }
        var before = shape(of: old, isDescribed: !isOutermost)
        var after = shape(of: new, isDescribed: !isOutermost)
        if before.isRedacted && after.isRedacted {
            return areEqual == false ? replaced() : []
        }
        if let text = before.text, text == after.text {
            // The same text for values that are not equal: look behind it.
            before = shape(of: old, isDescribed: false)
            after = shape(of: new, isDescribed: false)
        }
        guard before.isAlike(after) else { return replaced() }
        var block = ValueDifferenceBlock(depth: depth + 1)
        for pair in ValueMatching(old: before, new: after, text: text).pairs {
            if let old = pair.old, let new = pair.new {
                block.add(compare(old.value, new.value, label: new.label, depth: depth + 1, in: (insideOld, insideNew)))
            } else if let old = pair.old {
                block.add(lines(of: old.value, in: insideOld, old.label, depth + 1, .removed))
            } else if let new = pair.new {
                block.add(lines(of: new.value, in: insideNew, new.label, depth + 1, .added))
            }
        }
        guard block.hasDifferences else {
            guard areEqual == false else { return [] }
            let text = "… (not equal, but nothing is seen that differs)"
            return [Line(kind: .note, depth: depth, text: labelled(text, label))]
        }
        return [Line(kind: .same, depth: depth, text: labelled(before.opening, label))] + block.lines
            + [Line(kind: .same, depth: depth, text: before.closing)]
    }

    /// - Returns: nil if they cannot be compared.
    static func areEqual(_ old: Any, _ new: Any) -> Bool? {
        func compare<Value: Equatable>(_ old: Value) -> Bool { (new as? Value) == old }
        return (old as? any Equatable).map { compare($0) }
    }

    /// Keys and the members of sets are described without ancestors, so that both versions have them in one order.
    private func shape(of value: Any, isDescribed: Bool) -> ValueShape {
        ValueShape(of: value, isDescribed: isDescribed, in: context)
    }

    private func text(of value: Any) -> String {
        ValueDescription.line(of: value, in: context)
    }

    private func labelled(_ text: String, _ label: String?) -> String {
        label.map { "\($0): \(text)" } ?? text
    }

    /// All of a value, as the part of one version.
    private func lines(
        of value: Any,
        in context: ValueContext,
        _ label: String?,
        _ depth: Int,
        _ kind: Line.Kind
    ) -> [Line] {
        guard let inside = context.inside(value) else {
            return [Line(kind: kind, depth: depth, text: labelled("…", label))]
        }
        // No more of it than shows whether it is too long: its members describe themselves again.
        var oneLine = context
        oneLine.maximumLength = Self.widestLine
        let line = labelled(ValueDescription.line(of: value, in: oneLine), label)
        let shape = ValueShape(of: value, in: inside)
        guard line.count > Self.widestLine, shape.text == nil else {
            return [Line(kind: kind, depth: depth, text: line)]
        }
        var lines = [Line(kind: kind, depth: depth, text: labelled(shape.opening, label))]
        let members = shape.members.prefix(shape.kind == .record ? .max : context.maximumElements)
        for member in members {
            lines += self.lines(of: member.value, in: inside, member.label, depth + 1, kind)
        }
        if members.count < shape.members.count {
            let text = "… (\(shape.members.count - members.count) more)"
            lines.append(Line(kind: kind, depth: depth + 1, text: text))
        }
        return lines + [Line(kind: kind, depth: depth, text: shape.closing)]
    }
}

/// The lines of the members of one value; those that are unchanged are counted.
private struct ValueDifferenceBlock {
    private let depth: Int
    private var changed: [ValueDifference.Line] = []
    private var unchanged = 0

    init(depth: Int) {
        self.depth = depth
    }

    var hasDifferences: Bool { !changed.isEmpty }

    /// - Parameter lines: those of one member; none if it is unchanged.
    mutating func add(_ lines: [ValueDifference.Line]) {
        guard !lines.isEmpty else {
            unchanged += 1
            return
        }
        countUnchanged()
        changed += lines
    }

    var lines: [ValueDifference.Line] {
        var copy = self
        copy.countUnchanged()
        return copy.changed
    }

    private mutating func countUnchanged() {
        guard unchanged > 0 else { return }
        changed.append(ValueDifference.Line(kind: .note, depth: depth, text: "… (\(unchanged) unchanged)"))
        unchanged = 0
    }
}
