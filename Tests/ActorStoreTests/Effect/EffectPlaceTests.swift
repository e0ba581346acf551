import Testing

@testable import ActorStore

@Suite("Registered places of children's effects", .timeLimit(.minutes(10)))
struct EffectPlaceTests {
    private let table = EffectPath()
    private let child = EffectPath(.element(ExactIdentity(1)))

    private func looks(at place: EffectPlace, version: String) -> Int {
        let gone = EffectCancellation.elements(below: table, except: { _ in false }, version: ExactIdentity(version))
        return place.takeChildren(coveredBy: .outlived(gone)).count
    }

    @Test("A departed child is looked up once for each version of its table, and again after its return")
    func comesBack() {
        let place = EffectPlace()
        // Kept, because effects outlive the child.
        let kept = place.makeChild(at: child)
        #expect(looks(at: place, version: "empty") == 1)
        #expect(looks(at: place, version: "empty") == 0)
        #expect(place.makeChild(at: child) === kept)
        #expect(looks(at: place, version: "empty") == 1)
        #expect(looks(at: place, version: "another one") == 1)
    }
}
