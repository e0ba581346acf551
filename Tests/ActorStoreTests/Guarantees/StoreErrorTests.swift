import ActorStore
import Testing

@Suite("Store errors", .timeLimit(.minutes(10)))
struct StoreErrorTests {
    private let store = Store(
        initialState: 0,
        interceptors: [
            Interceptor("minimum") { action, _, next in if action >= 10 { try next(action) } },
            Interceptor("maximum") { action, _, next in if action <= 100 { try next(action) } },
        ]
    ) { (bid: inout Int, amount: Int) in bid = amount }

    /// Handles each reason in a clause of its own, in a closure, which crashed a compiler when the error was an enum.
    private func bid(_ amount: Int) async -> String {
        let result = await Task { [store] in
            do throws(StoreError) {
                try await store.dispatch(amount)
                return "accepted"
            } catch .rejected(by: "minimum") {
                return "too low"
            } catch .rejected {
                return "rejected"
            } catch .shutDown {
                return "over"
            } catch {
                return "\(error)"
            }
        }.value
        return result
    }

    @Test("A typed error matches its reason, the rejection of a named interceptor, and any rejection")
    func typed() async {
        #expect(await bid(50) == "accepted")
        #expect(await bid(5) == "too low")
        #expect(await bid(500) == "rejected")
        await store.shutdown(drain: .finishEffects)
        #expect(await bid(50) == "over")
    }

    @Test("An untyped error matches the same patterns, and other errors match no pattern")
    func untyped() async {
        func name(of error: any Error) -> String {
            do { throw error } catch StoreError.rejected(by: "maximum") {
                return "too high"
            } catch StoreError.rejected {
                return "rejected"
            } catch StoreError.overloaded {
                return "overloaded"
            } catch {
                return "other"
            }
        }
        #expect(name(of: StoreError.rejected(by: "maximum")) == "too high")
        #expect(name(of: StoreError.rejected(by: "minimum")) == "rejected")
        #expect(name(of: StoreError.overloaded) == "overloaded")
        #expect(name(of: StoreError.notReady) == "other" && name(of: CancellationError()) == "other")
    }

    @Test("A switch over an error matches reasons, and the error has the interceptor's name")
    func switching() async throws {
        let error = await #expect(throws: StoreError.self) { try await store.dispatch(1) }
        switch try #require(error) {
        case .overloaded, .shutDown: Issue.record("The reason is \(error as Any)")
        case .rejected: break
        default: Issue.record("The reason is \(error as Any)")
        }
        #expect(error?.interceptor == "minimum" && StoreError.shutDown.interceptor == nil)
        #expect(error != .rejected && error == .rejected(by: "minimum"))
    }

    /// The last clause is what the compiler needs, which otherwise crashes at the loop.
    private func bidAll(_ amounts: [Int]) async throws -> Int {
        var tooLow = 0
        for amount in amounts {
            do {
                try await store.dispatch(amount)
            } catch .rejected(by: "minimum") {
                tooLow += 1
            } catch {
                throw error
            }
        }
        return tooLow
    }

    @Test("A loop in an untyped throwing function handles some errors, and rethrows the others")
    func loop() async throws {
        #expect(try await bidAll([5, 50, 6]) == 2)
        await #expect(throws: StoreError.rejected(by: "maximum")) { try await bidAll([5, 500, 6]) }
    }
}
