#if Replication
    import Foundation

    /// A command as it goes to the server: the number of its words, then each with its length (the Redis serialization
    /// protocol, which is public). Written here, because the library wants pointers to all words at once.
    struct RedisCommand {
        private(set) var bytes: Data

        init(_ name: String, _ words: [String] = []) {
            self.init(name, words.map { Data($0.utf8) })
        }

        init(_ name: String, _ words: [Data]) {
            bytes = Data("*\(words.count + 1)\r\n".utf8)
            add(Data(name.utf8))
            for word in words { add(word) }
        }

        private mutating func add(_ word: Data) {
            bytes.append(contentsOf: "$\(word.count)\r\n".utf8)
            bytes.append(word)
            bytes.append(contentsOf: "\r\n".utf8)
        }
    }
#endif
