import ActorStorePersistence
import Foundation
import Testing

@Suite("JSON of states and actions")
struct StateCodecTests {
    private struct Price: Codable, Equatable {
        var amount: Decimal
        var name: String
    }

    private let codec = JSONStateCodec()

    @Test("A Decimal NaN is refused, because it could not be read back")
    func decimals() throws {
        #expect(throws: EncodingError.self) { try codec.encode(Price(amount: .nan, name: "")) }
        #expect(throws: EncodingError.self) { try codec.encode(Decimal.nan) }
        for price in [Price(amount: 12, name: "NaN"), Price(amount: -1.5, name: "\"NaN,")] {
            #expect(try codec.decode(Price.self, from: codec.encode(price)) == price)
        }
        #expect(try codec.decode(String.self, from: codec.encode("NaN")) == "NaN")
    }

    @Test("Numbers without a JSON representation are restored")
    func floatingPoint() throws {
        for number in [Double.infinity, -.infinity, 0.1, -0.0] {
            #expect(try codec.decode([Double].self, from: codec.encode([number])) == [number])
        }
        #expect(try codec.decode([Double].self, from: codec.encode([Double.nan]))[0].isNaN)
    }
}
