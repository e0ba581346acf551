import CMeasurement

/// Does nothing, in a way that the optimiser cannot see through.
///
/// Called between two operations, it keeps the optimiser from merging them, which it does with awaited calls on an
/// actor and which makes them look five times cheaper than they are.
@inlinable
public func barrier() { measurement_barrier() }

/// Takes a result that is not used, so that the optimiser computes it all the same.
@inlinable
@inline(__always)
public func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { measurement_consume($0) }
}

/// Hands a state out to where the optimiser cannot see, which may have read and changed it: all that was to be done to
/// it has to be done by now.
@inlinable
@inline(__always)
public func observe<Value>(_ value: UnsafeMutablePointer<Value>) { measurement_consume(value) }

/// Tells the processor that the thread waits in a loop.
@inlinable
@inline(__always)
public func relax() { measurement_relax() }
