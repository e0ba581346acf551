import Foundation
import Testing
import TreeCollections

@Suite("Coding of a tree dictionary", .timeLimit(.minutes(10)))
struct CodableTests {
    private enum Fruit: String, Codable, CodingKeyRepresentable { case apple, pear }
    private struct Point: Codable, Hashable { var x: Int, y: Int }

    private func check<Key: Hashable & Codable, Value: Codable & Equatable>(_ dictionary: [Key: Value]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let tree = TreeDictionary(dictionary)
        let data = try encoder.encode(tree)
        #expect(try JSONDecoder().decode([Key: Value].self, from: data) == dictionary)
        #expect(try JSONDecoder().decode(TreeDictionary<Key, Value>.self, from: encoder.encode(dictionary)) == tree)
        if dictionary.count < 2 || !data.starts(with: [UInt8(ascii: "[")]) {
            #expect(try data == encoder.encode(dictionary))
        }
    }

    @Test("Keys of all kinds are restored, and encoded like a dictionary's")
    func roundTrip() throws {
        try check([String: Int]())
        try check(["a": 1, "b": 2])
        try check([1: "a", -2: "b"])
        try check([Fruit.apple: 1, .pear: 2])
        try check([Point(x: 1, y: 2): 3])
        try check([Point(x: 1, y: 2): 3, Point(x: 2, y: 1): 4])
    }

    @Test("Other encoded values are a decoding error", arguments: ["[1]", "3", #"{"a": "b"}"#, #"{"x": 1}"#])
    func errors(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TreeDictionary<Int, Int>.self, from: Data(text.utf8))
        }
    }
}
