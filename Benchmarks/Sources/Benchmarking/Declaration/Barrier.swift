import CMeasurement

/// Does nothing, in a way that the optimiser cannot see through.
///
/// Called between two operations, it keeps the optimiser from merging them, which it does with awaited calls on an actor
/// and which makes them look five times cheaper than they are.
@inlinable
public func barrier() { measurement_barrier() }

/// Takes a result that nobody needs, so that the optimiser computes it all the same.
@inlinable
@inline(__always)
public func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { measurement_consume($0) }
}
