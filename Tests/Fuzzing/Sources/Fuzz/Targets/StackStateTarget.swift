@testable import ActorStore
@testable import ActorStoreComposition

/// A stack of children's states against a list.
enum StackStateTarget {
    private typealias Entry = (id: StackElementID, value: Int)

    static func run(_ bytes: inout Bytes) {
        var stack = StackState<Int>()
        var model: [Entry] = []
        var next: UInt64 = 0
        var versions: [(stack: StackState<Int>, model: [Entry])] = []
        while let operation = bytes.next() {
            let id = StackElementID(number: UInt64(bytes.below(Int(next) + 2)))
            let place = model.firstIndex { $0.id == id }
            switch operation % 16 {
            case 0...4:
                demand(stack.push(Int(operation)).number == next, "An identity is not the next one.")
                model.append((StackElementID(number: next), Int(operation)))
                next += 1
            case 5:
                demand(stack.pop() == model.popLast()?.value, "pop")
            case 6:
                demand(stack.pop(from: id) == (place != nil), "pop(from:)")
                if let place { model.removeSubrange(place...) }
            case 7:
                demand(stack.pop(to: id) == (place != nil), "pop(to:)")
                if let place { model.removeSubrange((place + 1)...) }
            case 8:
                demand(stack.remove(id: id) == place.map { model.remove(at: $0).value }, "remove(id:)")
            case 9, 10:
                change(&stack[id: id], Int(operation))
                if let place {
                    var value: Int? = model[place].value
                    change(&value, Int(operation))
                    if let value { model[place].value = value } else { model.remove(at: place) }
                }
            case 11:
                demand(stack.modifyEntry(id) { $0 += 1 } != nil || place == nil, "modifyEntry")
                if let place { model[place].value += 1 }
            case 12 where operation > 200:
                stack.removeAll()
                model = []
            case 13 where !versions.isEmpty:
                let version = versions[bytes.below(versions.count)]
                (stack, model) = version
                next = stack.nextNumber
            default:
                versions.append((stack, model))
                if versions.count > 4 { versions.removeFirst() }
            }
            demand(stack.ids == model.map(\.id) && Array(stack) == model.map(\.value), "It is \(stack), not \(model).")
            for version in versions { checkDepartures(of: version.stack, stack) }
        }
        for version in versions { demand(version.stack.ids == version.model.map(\.id), "A copy has changed.") }
    }

    private static func change(_ value: inout Int?, _ number: Int) {
        value = number > 128 ? nil : value.map { $0 &+ number }
    }

    /// Every departure since a version must be detected, also if another child has the identity now.
    private static func checkDepartures(of version: StackState<Int>, _ stack: StackState<Int>) {
        let (old, new) = (version.entries.map(\.stamp), stack.entries.map(\.stamp))
        let gone = old.filter { !new.contains($0) }
        switch stack.removals(since: version.entryVersion) {
        case .allExcept(let present):
            demand(!gone.contains(where: present.containsChild), "One that has gone is said to be there.")
            let kept = old.filter { !gone.contains($0) }
            demand(kept.allSatisfy(present.containsChild), "One that is there is said to have gone.")
            demand(stack.ids.allSatisfy(present.contains), "An identity that is there is said to have gone.")
        default:
            demand(gone.isEmpty, "The departure of \(gone) was not detected.")
        }
    }
}
