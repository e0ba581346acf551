/// A reference that does not retain its object, for the constants of a class that is `Sendable`.
///
/// Swift 6.3 has `weak let` for this; Swift 6.2 has not.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
