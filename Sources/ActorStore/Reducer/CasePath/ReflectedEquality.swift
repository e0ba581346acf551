/// Compares two values by all their parts, and detects differences that `==` or a description does not show.
struct ReflectedEquality {
    /// The result of comparing two values.
    enum Result {
        case same
        case different
        /// Some part cannot be inspected or compared.
        case unknown
    }

    /// The depth of the parts that are being compared.
    private var depth = 0
    /// The depth at which the comparison stops, so that a list of nodes does not overflow the stack.
    private static let maximumDepth = 64

    /// Returns whether two values are the same except at a place, and do not certainly differ there.
    mutating func areSame(_ left: Any, _ right: Any, exceptAt steps: ArraySlice<ReflectionStep>) -> Bool {
        guard let step = steps.first else { return compare(left, right) != .different }
        let (leftMirror, rightMirror) = (Mirror(reflecting: left), Mirror(reflecting: right))
        switch step {
        case .payload:
            guard let left = ReflectedCase(leftMirror), let right = ReflectedCase(rightMirror), left.name == right.name,
                left.type == right.type
            else { return false }
            return areSame(left.content, right.content, exceptAt: steps.dropFirst())
        case .part(let index):
            guard leftMirror.displayStyle == .tuple, leftMirror.children.count == rightMirror.children.count else {
                return false
            }
            for (place, (left, right)) in zip(leftMirror.children, rightMirror.children).enumerated() {
                let isSame =
                    place == index
                    ? areSame(left.value, right.value, exceptAt: steps.dropFirst())
                    : compare(left.value, right.value) == .same
                guard isSame else { return false }
            }
            return true
        }
    }

    /// - Complexity: O(*n*), where *n* is the number of parts whose bytes differ.
    mutating func compare(_ left: Any, _ right: Any) -> Result {
        let (left, right) = (Self.unwrapped(left), Self.unwrapped(right))
        guard type(of: left) == type(of: right) else { return .different }
        func haveSameBytes<Value>(_ left: Value) -> Bool {
            (right as? Value).map { Self.haveSameBytes(left, $0) } == true
        }
        if _openExistential(left, do: haveSameBytes) { return .same }
        if let left = left as? Any.Type, let right = right as? Any.Type { return left == right ? .same : .different }
        // Equal values can differ: in their scalars, or in their signs.
        if let left = Self.text(of: left), let right = Self.text(of: right) {
            return left.utf8.elementsEqual(right.utf8) ? .same : .different
        }
        if let left = left as? any BinaryFloatingPoint { return compare(left, right) }
        // The contents of objects are not inspected, because other threads may be changing them.
        if type(of: left) is any AnyObject.Type {
            guard left is any Equatable else { return .unknown }
            return ValueComparison.areEqual(left, right) == true ? .same : .different
        }
        let areEqual = ValueComparison.areEqual(left, right)
        // A value that does not equal itself contains a not-a-number, or has an unreliable `==`.
        if areEqual == false, ValueComparison.areEqual(left, left) == true { return .different }
        return compareParts(Mirror(reflecting: left), Mirror(reflecting: right), of: left, right, areEqual)
    }

    /// Returns the contents of a value of a protocol type, which a mirror wraps in its own `Any`.
    private static func unwrapped(_ value: Any) -> Any {
        func unwrap<Value>(_ value: Value) -> Any {
            Value.self == Any.self ? cast(value, to: Any.self) ?? value : value
        }
        return _openExistential(value, do: unwrap)
    }

    private static func cast<Value, Target>(_ value: Value, to target: Target.Type) -> Target? { value as? Target }

    private static func text(of value: Any) -> String? {
        if let text = value as? any StringProtocol { return String(text) }
        return (value as? Character).map { String($0) }
    }

    private func compare(_ left: some BinaryFloatingPoint, _ right: Any) -> Result {
        func same<Value: BinaryFloatingPoint>(_ left: Value) -> Bool {
            guard let right = right as? Value else { return false }
            return left == right ? left.sign == right.sign : left.isNaN && right.isNaN
        }
        return same(left) ? .same : .different
    }

    private mutating func compareParts(
        _ leftMirror: Mirror,
        _ rightMirror: Mirror,
        of left: Any,
        _ right: Any,
        _ areEqual: Bool?
    ) -> Result {
        let withoutParts: Result = areEqual == true ? .same : .unknown
        if leftMirror.displayStyle == .set { return withoutParts }
        if leftMirror.children.isEmpty, rightMirror.children.isEmpty {
            if Self.isEmpty(left) { return .same }
            guard leftMirror.displayStyle == .enum, Reflection.isPlainlyNamed(type(of: left)) else {
                return withoutParts
            }
            return String(describing: left) == String(describing: right) ? .same : .different
        }
        guard depth < Self.maximumDepth else { return withoutParts }
        depth += 1
        defer { depth -= 1 }
        let result = compareChildren(leftMirror, rightMirror)
        // A custom mirror may hide parts.
        let showsAll =
            leftMirror.displayStyle == .collection || leftMirror.displayStyle == .dictionary
            || Reflection.isFaithful(type(of: left))
        return result == .different || result == .same && showsAll ? result : withoutParts
    }

    private mutating func compareChildren(_ left: Mirror, _ right: Mirror) -> Result {
        guard left.children.count == right.children.count else { return .different }
        if left.displayStyle == .dictionary { return compareEntries(left, right) }
        guard zip(left.children, right.children).allSatisfy({ $0.label == $1.label }) else { return .different }
        return compareAll(zip(left.children, right.children).lazy.map { ($0.value, $1.value) })
    }

    /// Compares the values of two dictionaries for the same keys, in any order.
    private mutating func compareEntries(_ left: Mirror, _ right: Mirror) -> Result {
        func entries(_ mirror: Mirror) -> [AnyHashable: Any] {
            let pairs = mirror.children.compactMap { $0.value as? (AnyHashable, Any) }
            return Dictionary(pairs) { first, _ in first }
        }
        let (left, right) = (entries(left), entries(right))
        guard left.keys.allSatisfy({ right[$0] != nil }) else { return .different }
        return compareAll(left.lazy.compactMap { key, value in right[key].map { (value, $0) } })
    }

    /// Combines the results of several comparisons.
    private mutating func compareAll(_ pairs: some Sequence<(Any, Any)>) -> Result {
        var result = Result.same
        for (left, right) in pairs {
            switch compare(left, right) {
            case .same: break
            case .different: return .different
            case .unknown: result = .unknown
            }
        }
        return result
    }

    /// Returns whether a type has only one value.
    private static func isEmpty(_ value: Any) -> Bool {
        func isEmpty<Value>(_ value: Value) -> Bool { MemoryLayout<Value>.size == 0 }
        return _openExistential(value, do: isEmpty)
    }

    /// Returns whether two values have the same bytes, which means that they are the same. Different bytes imply
    /// nothing, for example for indirect values, or for the padding between the parts of a value.
    static func haveSameBytes<Value>(_ left: Value, _ right: Value) -> Bool {
        withUnsafeBytes(of: left) { left in
            withUnsafeBytes(of: right) { right in left.elementsEqual(right) }
        }
    }
}
