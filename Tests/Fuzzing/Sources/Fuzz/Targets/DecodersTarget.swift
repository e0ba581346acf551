import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import Foundation
import TreeCollections

/// States decoded from arbitrary files: they are refused, or usable, and equal after encoding and decoding.
enum DecodersTarget {
    static func run(_ bytes: inout Bytes) {
        let kind = bytes.below(6)
        let data = Data(bytes.remaining())
        switch kind {
        case 0:
            guard var stack = decode(StackState<Int>.self, data) else { return }
            let before = stack.ids
            let id = stack.push(1)
            demand(!before.contains(id) && stack.pop() == 1 && stack.ids == before, "A stack cannot be used.")
        case 1:
            guard var state = decode(EffectState<EffectFailure>.self, data) else { return }
            for _ in 0..<3 {
                demand((state.delay ?? .zero) >= .zero || state.currentAttempt == 0, "A retry waits less than nothing.")
                state.retryOrFail(with: EffectFailure(type: "a", message: "b"))
            }
            demand(state.restart(maxAttempts: 2), "A state cannot be used.")
        case 2:
            guard let dictionary = decode(TreeDictionary<String, Int>.self, data) else { return }
            demand(dictionary.allSatisfy { dictionary[$0.key] == $0.value }, "A dictionary cannot be used.")
        case 3:
            guard let dictionary = decode(TreeDictionary<Int, [String: Bool?]>.self, data) else { return }
            demand(dictionary.allSatisfy { dictionary[$0.key] == $0.value }, "A dictionary cannot be used.")
        case 4:
            guard let array = decode(KeyedArray<KeyedArrayTarget.Item>.self, data) else { return }
            demand(array.allSatisfy { array[id: $0.id] == $0 }, "An array cannot be used.")
        default:
            guard let backoff = decode(EffectBackoff.self, data) else { return }
            demand(backoff.delay(beforeAttempt: 40) >= .zero, "A backoff cannot be used.")
        }
    }

    private static func decode<Value: Codable & Equatable>(_ type: Value.Type, _ data: Data) -> Value? {
        guard let value = try? JSONDecoder().decode(type, from: data) else { return nil }
        let copy = try? JSONDecoder().decode(type, from: JSONEncoder().encode(value))
        demand(copy == value, "What was encoded and decoded is not the same: \(value)")
        return value
    }
}
