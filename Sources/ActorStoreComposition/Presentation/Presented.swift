import ActorStore
import Synchronization

/// The state of an optional child that can be dismissed, by its parent and by itself.
///
/// ```swift
/// struct State { @Presented var details: Details.State? }
/// enum Action { case details(PresentationAction<Details.Action>), rowTapped(Int) }
///
/// Reduce { state, action in
///     if case .rowTapped(let row) = action { state.details = Details.State(row: row) }
/// }
/// .ifPresented(\.$details, action: .details) { Details() }
/// ```
///
/// Assigning a state presents another child, and ends the effects of the previous one, unless both are `Identifiable`
/// with the same identity. Changing a child in place, as in `state.details?.row = 3`, does not present another one,
/// unless it changes the identity of an `Identifiable` child.
///
/// For a child without an identity, it cannot be detected how much of it is changed. So `state.details! =
/// Details.State(row: 3)`, `swap(&state.details, &other)`, and a function that takes the child `inout` and sets it,
/// change the current child, which keeps its effects. Do not present another child in these ways; assign it:
/// `state.details = Details.State(row: 3)`.
///
/// In two more cases, the language assigns the property even if only a part of it changes: if the change is made
/// through a key path, as by ``BindingAction/set(_:_:)``, and if the property has an observer, `didSet` or `willSet`.
/// Both present a child without an identity again. In these cases change the child through ``inPlace``:
/// `state.$details.inPlace?.row = 3`, and `.set(\.$details.inPlace!.row, 3)`. The latter traps if the child has been
/// dismissed, like any key path with `!`. If an edit can arrive after that, give the child a ``BindingAction`` of its
/// own: an action for a missing child is reported instead.
///
/// Two values are equal if their children are equal, even if their presentations differ.
@propertyWrapper
public struct Presented<Child> {
    @usableFromInline var child: Child?
    /// Identifies this presentation.
    @usableFromInline private(set) var presentation: Presentation

    /// Presents a child, or none if it is nil.
    public init(wrappedValue child: Child?) {
        self.child = child
        presentation = Presentation()
    }

    /// The child; nil while none is presented. Assigning a child presents it.
    public var wrappedValue: Child? {
        get { child }
        set {
            if !isSame(as: newValue) { presentation = Presentation() }
            child = newValue
        }
        _modify { yield &inPlace }
    }

    /// The child, for changes that never present another one, even through a key path or on a property with an
    /// observer.
    ///
    /// Setting it while no child is presented presents one. Setting it to nil dismisses the child.
    ///
    /// ```swift
    /// store.send(.set(\.$details.inPlace!.row, 3))    // Traps if there is no child.
    /// ```
    public var inPlace: Child? {
        get { child }
        set {
            if child == nil, newValue != nil { presentation = Presentation() }
            child = newValue
        }
        _modify {
            let wasPresented = child != nil
            defer { if !wasPresented, child != nil { presentation = Presentation() } }
            yield &child
        }
    }

    /// The presentation itself. `ifPresented` takes a key path to it.
    public var projectedValue: Presented {
        get { self }
        _modify { yield &self }
        set { self = newValue }
    }

    private func isSame(as other: Child?) -> Bool {
        guard let old = child as? any Identifiable, let new = other as? any Identifiable else { return false }
        return Self.identity(of: old).isSame(as: Self.identity(of: new))
    }

    private static func identity(of child: some Identifiable) -> any Hashable { child.id }
}

extension Presented: Sendable where Child: Sendable {}

extension Presented: Equatable where Child: Equatable {
    /// Returns whether the children are equal.
    public static func == (left: Presented, right: Presented) -> Bool { left.child == right.child }
}

extension Presented: Hashable where Child: Hashable {
    /// Hashes the child.
    public func hash(into hasher: inout Hasher) { hasher.combine(child) }
}

extension Presented: Encodable where Child: Encodable {
    /// Encodes the child.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(child)
    }
}

extension Presented: Decodable where Child: Decodable {
    /// Decodes a child, and presents it.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Child?.self))
    }
}

extension KeyedDecodingContainer {
    /// Returns a decoded presentation, which has no child if no child was encoded.
    public func decode<Child: Decodable>(_ type: Presented<Child>.Type, forKey key: Key) throws -> Presented<Child> {
        try decodeIfPresent(type, forKey: key) ?? Presented(wrappedValue: nil)
    }
}

extension Presented: CustomReflectable {
    /// The mirror of the child, so that logs and differences show only the child.
    public var customMirror: Mirror { Mirror(reflecting: child as Any) }
}

/// Identifies one presentation of a child among all others of this process.
///
/// It is compared only with the presentation in the same place before an action. It takes no part in the equality or
/// the encoding of a state, so a reducer stays a function of the state and the action.
@usableFromInline
struct Presentation: Equatable, Sendable {
    private let number: UInt64

    init() { number = Self.last.wrappingAddRelaxed(1).newValue }

    private static let last = AtomicValue<UInt64>(0)
}
