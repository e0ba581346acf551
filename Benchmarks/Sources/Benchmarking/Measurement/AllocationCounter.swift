import CMeasurement

/// Counts each allocation of each thread, exactly, while it is told to. Counting costs some nanoseconds for each of
/// them, so that counting and timing are done one after the other.
public enum AllocationCounter {
    /// What was allocated and released.
    public struct Counts: Sendable, Equatable {
        /// How many blocks were allocated. One that is resized where it lies is not allocated anew.
        public var allocations = 0
        /// Their bytes, as the allocator rounds them up.
        public var allocatedBytes = 0
        /// How many blocks were released.
        public var releases = 0
        /// Their bytes.
        public var releasedBytes = 0

        /// What is there more than before.
        public var liveBytes: Int { allocatedBytes - releasedBytes }

        /// How many blocks are there more than before.
        public var liveBlocks: Int { allocations - releases }
    }

    /// Whether the process runs with an allocator that can count.
    public static let isAvailable: Bool = {
        guard allocation_counting_begin() else { return false }
        allocation_counting_end()
        return true
    }()

    /// How many bytes of memory the allocator occupies, or nil if it does not tell.
    static var residentBytes: Int? {
        let bytes = allocator_resident_bytes()
        return bytes == .max ? nil : Int(bytes)
    }

    /// Begins to count, and goes on until the process ends.
    ///
    /// - Returns: whether the allocator can count.
    public static func beginCounting() -> Bool { allocation_counting_begin() }

    /// What was counted so far.
    public static var counts: Counts {
        let now = allocation_counts_now()
        return Counts(
            allocations: Int(now.allocations),
            allocatedBytes: Int(now.allocated_bytes),
            releases: Int(now.releases),
            releasedBytes: Int(now.released_bytes)
        )
    }

    /// Counts what is allocated on any thread while `body` runs.
    ///
    /// - Returns: the counts, or nil if the allocator cannot count; then `body` has run all the same.
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
