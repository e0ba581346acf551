/// A set of operations of a history: one bit for each.
struct OperationSet {
    /// The content of a set: the words between the leading full words and the trailing empty ones.
    struct Contents: Hashable {
        let fullWords: Int
        let words: [UInt64]
    }

    private var words: [UInt64]
    /// The number of leading full words.
    private var fullWords = 0
    /// The number of words before the trailing empty ones.
    private var usedWords = 0

    init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    /// The content. It is small as long as operations are inserted more or less in order.
    var contents: Contents { Contents(fullWords: fullWords, words: Array(words[fullWords..<usedWords])) }

    func contains(_ operation: Int) -> Bool { words[operation / 64] & 1 << (operation % 64) != 0 }

    mutating func insert(_ operation: Int) {
        words[operation / 64] |= 1 << (operation % 64)
        usedWords = max(usedWords, operation / 64 + 1)
        while fullWords < usedWords, words[fullWords] == .max { fullWords += 1 }
    }

    mutating func remove(_ operation: Int) {
        words[operation / 64] &= ~(1 << (operation % 64))
        fullWords = min(fullWords, operation / 64)
        while usedWords > 0, words[usedWords - 1] == 0 { usedWords -= 1 }
    }
}

/// The operations of a history that are already in an order.
///
/// Operations with an answer are inserted more or less in the order of their invocation, because none precedes one that
/// was answered earlier. Operations without an answer can be left out for ever; they have a separate set.
struct OrderedOperations {
    struct Contents: Hashable {
        let answered: OperationSet.Contents
        let unanswered: OperationSet.Contents
    }

    /// For each operation whether it has an answer, and its number among the operations for which that is equal.
    private let numbers: [(isAnswered: Bool, number: Int)]
    private var answered: OperationSet
    private var unanswered: OperationSet

    init<Operation, Response>(of records: [RecordedOperation<Operation, Response>]) {
        var count = (answered: 0, unanswered: 0)
        numbers = records.map { record in
            let isAnswered = record.response != nil
            defer { if isAnswered { count.answered += 1 } else { count.unanswered += 1 } }
            return (isAnswered, isAnswered ? count.answered : count.unanswered)
        }
        answered = OperationSet(count: count.answered)
        unanswered = OperationSet(count: count.unanswered)
    }

    var contents: Contents { Contents(answered: answered.contents, unanswered: unanswered.contents) }

    func contains(_ operation: Int) -> Bool {
        let (isAnswered, number) = numbers[operation]
        return isAnswered ? answered.contains(number) : unanswered.contains(number)
    }

    mutating func insert(_ operation: Int) {
        let (isAnswered, number) = numbers[operation]
        if isAnswered { answered.insert(number) } else { unanswered.insert(number) }
    }

    mutating func remove(_ operation: Int) {
        let (isAnswered, number) = numbers[operation]
        if isAnswered { answered.remove(number) } else { unanswered.remove(number) }
    }
}
