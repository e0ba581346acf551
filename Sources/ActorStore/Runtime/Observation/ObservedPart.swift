/// What tells a part that is observed from the others of a state.
@usableFromInline
enum ObservedPart: Hashable, Sendable {
    /// A stored part of this type. Together with its place that says it all, by whichever key path it is found.
    case stored(ObjectIdentifier)
    case computed(AnyKeyPath & Sendable)
    case selector(SelectorIdentity)
    /// An entry of the table that the part is.
    indirect case entry(ObservedPart, EntryKey)

    @usableFromInline
    static func == (left: ObservedPart, right: ObservedPart) -> Bool {
        switch (left, right) {
        case (.stored(let left), .stored(let right)): left == right
        case (.computed(let left), .computed(let right)): (left as AnyKeyPath) == (right as AnyKeyPath)
        case (.selector(let left), .selector(let right)): left === right
        case (.entry(let left, let leftKey), .entry(let right, let rightKey)): leftKey == rightKey && left == right
        default: false
        }
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        switch self {
        case .stored(let type): hasher.combine(type)
        case .computed(let keyPath): hasher.combine(keyPath as AnyKeyPath)
        case .selector(let identity): hasher.combine(ObjectIdentifier(identity))
        case .entry(_, let key): hasher.combine(key)
        }
    }
}

/// Which bytes of a state an observer looks at.
@usableFromInline
struct ByteRange: Sendable {
    @usableFromInline let offset: Int
    @usableFromInline let size: Int

    @inlinable
    init(offset: Int, size: Int) {
        self.offset = offset
        self.size = size
    }

    /// The same bytes in a state that begins so many bytes earlier.
    @inlinable
    func shifted(by offset: Int) -> ByteRange { ByteRange(offset: self.offset + offset, size: size) }
}

/// By what a group of observers is found in a source of state.
@usableFromInline
struct GroupKey: Hashable, Sendable {
    /// How far into the source's state the part begins; the state itself if the part has no place of its own.
    @usableFromInline let offset: Int
    @usableFromInline let part: ObservedPart

    @inlinable
    init(offset: Int, part: ObservedPart) {
        self.offset = offset
        self.part = part
    }
}

/// What an observer observes, in words.
@usableFromInline
enum ObservedSubject: Sendable, CustomStringConvertible {
    case part(AnyKeyPath & Sendable)
    case entry(AnyKeyPath & Sendable, EntryKey)
    case selector
    /// Something that nobody else observes.
    case unshared
    case actions
    case failures

    @usableFromInline var description: String {
        switch self {
        case .part(let keyPath): "\(keyPath)"
        case .entry(let keyPath, let key): "\(keyPath)[\(ValueDescription.text(of: key.value))]"
        case .selector: "a selector"
        case .unshared: "a part, with a notion of change of its own"
        case .actions: "actions"
        case .failures: "errors"
        }
    }
}
