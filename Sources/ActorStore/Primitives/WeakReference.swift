/// A reference that does not retain its object, for the constants of a class that is `Sendable`: what a `weak let` is in
/// Swift 6.3, which Swift 6.2 lacks.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}
