import Testing

@testable import ActorStore

@Suite("The buffer of a busy observer", .timeLimit(.minutes(10)))
struct ElementBufferTests {
    func contents(_ buffer: inout ElementBuffer<Int>) -> [Int] {
        var elements: [Int] = []
        while let element = buffer.popFirst() { elements.append(element) }
        return elements
    }

    @Test("Elements leave the buffer in the order of arrival, for any pattern of arrivals and deliveries")
    func order() {
        var buffer = ElementBuffer<Int>(limit: .max, overflow: .dropOldest)
        var expected = 0
        var number = 0
        for round in 0..<500 {
            for _ in 0..<(round * 7) % 13 {
                #expect(buffer.append(number) == nil)
                number += 1
            }
            for _ in 0..<(round * 5) % 11 {
                guard let element = buffer.popFirst() else { break }
                #expect(element == expected)
                expected += 1
            }
            #expect(buffer.count == number - expected)
        }
        #expect(contents(&buffer) == Array(expected..<number))
        #expect(buffer.dropped == 0)
    }

    @Test("A buffer that drops the oldest element returns it to the caller for release")
    func dropOldest() {
        var buffer = ElementBuffer<Int>(limit: 2, overflow: .dropOldest)
        #expect([1, 2, 3, 4].map { buffer.append($0) } == [nil, nil, 1, 2])
        #expect(buffer.dropped == 2 && !buffer.missesNewest)
        #expect(contents(&buffer) == [3, 4])
    }

    @Test("A buffer that drops the newest element sets a mark, which the next element or catching up removes")
    func dropNewest() {
        var buffer = ElementBuffer<Int>(limit: 2, overflow: .dropNewest)
        #expect([1, 2, 3].map { buffer.append($0) } == [nil, nil, 3])
        #expect(buffer.missesNewest && buffer.dropped == 1)
        #expect(buffer.popFirst() == 1)
        #expect(buffer.append(4) == nil)
        #expect(!buffer.missesNewest)
        #expect(buffer.append(5) == 5)
        #expect(contents(&buffer) == [2, 4])
        buffer.catchUp()
        #expect(!buffer.missesNewest && buffer.dropped == 1)
    }

    @Test("A finished buffer keeps its elements, and accepts no more")
    func finish() {
        var buffer = ElementBuffer<Int>(limit: 1, overflow: .finish)
        #expect([1, 2, 3].map { buffer.append($0) } == [nil, 2, 3])
        #expect(buffer.isClosed && buffer.dropped == 2)
        #expect(contents(&buffer) == [1])
        #expect(buffer.append(4) == 4)
    }
}
