/// A place at which the explorer can let another thread go on: each operation of an atomic, a lock or a condition.
///
/// Without the condition `SCHEDULE_POINTS` nothing of it is compiled.
@usableFromInline
package enum SchedulePoint {
    @inlinable
    @inline(__always)
    package static func reach() {}
}
