import CMeasurement

/// Does nothing, opaquely to the optimiser.
///
/// A call between two operations keeps the optimiser from merging them. It merges awaited calls on an actor, which then
/// seem five times cheaper than they are.
@inlinable
public func barrier() { measurement_barrier() }

/// Takes an unused result, so that the optimiser computes it.
@inlinable
@inline(__always)
public func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { measurement_consume($0) }
}

/// Passes a state to code that the optimiser cannot see and that may read and change it: all changes to the state have
/// to be done by now.
@inlinable
@inline(__always)
public func observe<Value>(_ value: UnsafeMutablePointer<Value>) { measurement_consume(value) }

/// Tells the processor that the thread waits in a loop.
@inlinable
@inline(__always)
public func relax() { measurement_relax() }
