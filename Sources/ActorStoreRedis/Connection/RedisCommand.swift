#if Redis
    import Foundation

    /// A command in the Redis serialization protocol: the number of words, then each word with its length.
    ///
    /// It is encoded here because hiredis requires pointers to all words at once.
    struct RedisCommand {
        private var count = 0
        private var words = Data()

        init(_ words: String...) { for word in words { append(word) } }

        mutating func append(_ word: String) {
            let bytes = word.utf8
            words.append(contentsOf: "$\(bytes.count)\r\n".utf8)
            words.append(contentsOf: bytes)
            words.append(contentsOf: "\r\n".utf8)
            count += 1
        }

        mutating func append(_ word: Data) {
            words.append(contentsOf: "$\(word.count)\r\n".utf8)
            words.append(word)
            words.append(contentsOf: "\r\n".utf8)
            count += 1
        }

        /// The encoded command.
        var bytes: Data { Data("*\(count)\r\n".utf8) + words }
    }
#endif
