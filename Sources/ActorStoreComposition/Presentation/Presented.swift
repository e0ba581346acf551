import ActorStore
import Synchronization

/// The state of a child that comes and goes, and that can be dismissed: by its parent, and by itself.
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
/// To assign a state is to present another child, and ends the effects of the one before, unless both are
/// `Identifiable` and the same by that. To change it where it is, as in `state.details?.row = 3`, is not, unless that
/// changes the identity of a child that is `Identifiable`.
///
/// Of a child without an identity one cannot tell how much of it is changed. So
/// `state.details! = Details.State(row: 3)`, `swap(&state.details, &other)`, and a function that takes it `inout` and
/// sets it, change the child that is there, which keeps its effects. Do not present another child like this; assign it:
/// `state.details = Details.State(row: 3)`.
///
/// The language assigns a property in two more cases, even if only a part of it is changed: if the change is made by a
/// key path, as by ``BindingAction/set(_:_:)``, and if the property has an observer, `didSet` or `willSet`. Either
/// presents a child without an identity anew. In these cases change the child by ``inPlace``:
/// `state.$details.inPlace?.row = 3`, and `.set(\.$details.inPlace!.row, 3)`. The latter traps when the child has gone,
/// as any key path with `!` does. If an edit can come after that, give the child a ``BindingAction`` of its own: an
/// action for a child that has gone is reported.
///
/// Two are equal if their children are, whichever presentations they are of.
@propertyWrapper
public struct Presented<Child> {
    @usableFromInline var child: Child?
    /// Tells this presentation from others.
    @usableFromInline private(set) var presentation: Presentation

    /// Presents a child, or nothing.
    public init(wrappedValue child: Child?) {
        self.child = child
        presentation = Presentation()
    }

    /// The child; nil while none is presented. To assign one presents it.
    public var wrappedValue: Child? {
        get { child }
        set {
            if !isSame(as: newValue) { presentation = Presentation() }
            child = newValue
        }
        _modify { yield &inPlace }
    }

    /// The child, for a change that never presents another one, also by a key path or of a property with an observer.
    ///
    /// To set it while none is presented presents one, and to set it to nil dismisses the child.
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

    /// The presentation itself; what `ifPresented` takes a key path to.
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
    /// Whether the children are equal.
    public static func == (left: Presented, right: Presented) -> Bool { left.child == right.child }
}

extension Presented: Hashable where Child: Hashable {
    /// Feeds the child to `hasher`.
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
    /// Decodes a child, which is then presented.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Child?.self))
    }
}

extension KeyedDecodingContainer {
    /// Decodes a child that is presented; one that was not encoded is none.
    public func decode<Child: Decodable>(_ type: Presented<Child>.Type, forKey key: Key) throws -> Presented<Child> {
        try decodeIfPresent(type, forKey: key) ?? Presented(wrappedValue: nil)
    }
}

extension Presented: CustomReflectable {
    /// That of the child, so that logs and differences show that alone.
    public var customMirror: Mirror { Mirror(reflecting: child as Any) }
}

/// Tells one presentation of a child from all others of this process.
///
/// It is compared only with what stood in the same place before an action, and is no part of what a state is equal by,
/// or encoded as; so a reducer stays a function of the state and the action.
@usableFromInline
struct Presentation: Equatable, Sendable {
    private let number: UInt64

    init() { number = Self.last.wrappingAddRelaxed(1).newValue }

    private static let last = AtomicValue<UInt64>(0)
}
