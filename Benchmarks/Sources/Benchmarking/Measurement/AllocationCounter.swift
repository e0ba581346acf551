import CMeasurement

/// Counts each allocation of each thread exactly, while enabled. Counting costs some nanoseconds for each of them, so
/// counting and timing are separate.
public enum AllocationCounter {
    /// The allocations and releases.
    public struct Counts: Sendable, Equatable {
        /// The number of allocated blocks. A block resized in place does not count again.
        public var allocations = 0
        /// Their bytes, as rounded up by the allocator.
        public var allocatedBytes = 0
        /// The number of released blocks.
        public var releases = 0
        /// Their bytes.
        public var releasedBytes = 0

        /// The growth in bytes.
        public var liveBytes: Int { allocatedBytes - releasedBytes }

        /// The growth in blocks.
        public var liveBlocks: Int { allocations - releases }
    }

    /// Whether the process has an allocator that can count.
    public static let isAvailable: Bool = {
        guard allocation_counting_begin() else { return false }
        allocation_counting_end()
        return true
    }()

    /// The bytes of memory occupied by the allocator, or nil if it does not report them.
    static var residentBytes: Int? {
        let bytes = allocator_resident_bytes()
        return bytes == .max ? nil : Int(bytes)
    }

    /// Starts counting, until the process ends.
    ///
    /// - Returns: Whether the allocator can count.
    public static func beginCounting() -> Bool { allocation_counting_begin() }

    /// The counts so far.
    public static var counts: Counts {
        let now = allocation_counts_now()
        return Counts(
            allocations: Int(now.allocations),
            allocatedBytes: Int(now.allocated_bytes),
            releases: Int(now.releases),
            releasedBytes: Int(now.released_bytes)
        )
    }

    /// Counts the allocations of all threads while `body` runs.
    ///
    /// - Returns: The counts, or nil if the allocator cannot count; `body` has run in either case.
    public static func count(_ body: () async throws -> Void) async rethrows -> Counts? {
        let isCounting = allocation_counting_begin()
        defer { if isCounting { allocation_counting_end() } }
        let before = counts
        try await body()
        let after = counts
        guard isCounting else { return nil }
        return Counts(
            allocations: after.allocations - before.allocations,
            allocatedBytes: after.allocatedBytes - before.allocatedBytes,
            releases: after.releases - before.releases,
            releasedBytes: after.releasedBytes - before.releasedBytes
        )
    }
}
