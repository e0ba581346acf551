import Testing

@testable import ActorStore

@Suite("Identities of effects", .timeLimit(.minutes(10)))
struct EffectIDTests {
    /// Begins an effect, and returns the operations to start.
    private func begin(_ machine: inout EffectMachine, _ effect: Effect<Int>) -> EffectJob? {
        _ = effect.operation.flatMap { machine.begin($0) }
        return machine.takeStarts().last
    }

    @Test("Identities are equal if their values are of the same type and equal, and only then")
    func equality() {
        let values: [any Hashable & Sendable] = [
            1, 1 as Int8, 1 as UInt, 1.0, 1.0 as Float, true, "1", "1" as Character, [1], [1 as UInt8], Set([1]),
            ["1": 1], ["1": 1 as Int8], Int?.none, Int8?.none,
        ]
        for (left, value) in values.enumerated() {
            for (right, other) in values.enumerated() {
                #expect((EffectID(value) == EffectID(other)) == (left == right), "\(value) and \(other)")
            }
            #expect(Set([EffectID(value), EffectID(value)]).count == 1, "\(value)")
        }
        #expect(Set(values.map { EffectID($0) }).count == values.count)
    }

    @Test("An object is one identity under each of its classes")
    func objects() {
        class Job: Hashable, @unchecked Sendable {
            static func == (left: Job, right: Job) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        final class Import: Job, @unchecked Sendable {}
        let job = Import()
        #expect(EffectID(job) == EffectID(job as Job) && EffectID(job as Job) == EffectID(job))
        #expect(EffectID(job) != EffectID(Import()))
    }

    @Test("An identity of an identity, or of a non-nil optional, is the identity of the wrapped value")
    func wrappedIdentities() throws {
        let doubled: Int?? = 1
        #expect(EffectID(EffectID("a")) == EffectID("a") && EffectID(Optional(EffectID("a"))) == EffectID("a"))
        #expect(EffectID(doubled) == EffectID(1) && EffectID(doubled).value is Int)
        #expect(EffectID(Optional(1 as Int8)) != EffectID(1))
        // An operation unwraps an optional identity; a cancellation with the same identity must find it.
        var machine = EffectMachine()
        let number: Int? = 7
        let job = try #require(begin(&machine, .run(id: number) { _ in }))
        _ = begin(&machine, .cancel(id: number))
        #expect(job.isCancelled)
    }

    @Test("Operations with equal identities of different types are independent")
    func work() throws {
        var machine = EffectMachine()
        let user = try #require(begin(&machine, .run(id: 7, policy: .cancelInFlight) { _ in }))
        let order = try #require(begin(&machine, .run(id: 7 as UInt32, policy: .ignoreIfRunning) { _ in }))
        _ = begin(&machine, .cancel(id: 7.0))
        #expect(!user.isCancelled && !order.isCancelled)
        _ = begin(&machine, .cancel(id: 7 as UInt32))
        #expect(!user.isCancelled && order.isCancelled)
    }
}
