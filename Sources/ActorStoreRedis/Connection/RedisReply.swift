#if Redis
    import CHiredis
    import Foundation

    /// An answer of a Redis server.
    enum RedisReply: Equatable {
        case null
        case integer(Int64)
        case text(Data)
        case array([RedisReply])
        case error(String)

        /// A text, or a number as text.
        var string: String? {
            switch self {
            case .text(let data): String(decoding: data, as: UTF8.self)
            case .integer(let number): String(number)
            case .null, .array, .error: nil
            }
        }

        var data: Data? { if case .text(let data) = self { data } else { nil } }

        var elements: [RedisReply]? { if case .array(let elements) = self { elements } else { nil } }

        /// A number, or a text that is one.
        var number: UInt64? { string.flatMap { UInt64($0) } }
    }

    /// Parses answers with hiredis.
    final class RedisReplyParser {
        // Sound: the pointer is created in `init`, freed in `deinit`, and not handed out.
        private let reader: UnsafeMutablePointer<redisReader>

        /// What the server sent is not the protocol, or there is no memory for it.
        struct Failure: Error {
            let reason: String
        }

        init() throws(Failure) {
            guard let reader = redisReaderCreate() else {
                throw Failure(reason: "There is no memory for a connection.")
            }
            self.reader = reader
        }

        deinit { redisReaderFree(reader) }

        /// Takes bytes that the server sent.
        func feed(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
            guard let start = bytes.baseAddress else { return }
            // Sound: the bytes are copied before the function returns.
            let result = redisReaderFeed(reader, start.assumingMemoryBound(to: CChar.self), bytes.count)
            guard result == REDIS_OK else { throw failure }
        }

        /// The next answer; nil if there is not all of it yet.
        func next() throws(Failure) -> RedisReply? {
            var answer: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &answer) == REDIS_OK else { throw failure }
            guard let answer else { return nil }
            defer { freeReplyObject(answer) }
            // Sound: without functions of one's own, the parser makes objects of this type only.
            return RedisReply(answer.assumingMemoryBound(to: redisReply.self).pointee)
        }

        private var failure: Failure {
            // Sound: the text ends with a zero byte within its 128 bytes.
            let text = withUnsafePointer(to: &reader.pointee.errstr) {
                $0.withMemoryRebound(to: CChar.self, capacity: 128) { String(cString: $0) }
            }
            return Failure(reason: text.isEmpty ? "The answer cannot be parsed." : text)
        }
    }

    extension RedisReply {
        /// A copy of what the parser has made.
        fileprivate init(_ reply: redisReply) {
            switch reply.type {
            case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
            case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Data(bytes: reply.str, count: reply.len))
            case REDIS_REPLY_ERROR:
                self = .error(String(decoding: Data(bytes: reply.str, count: reply.len), as: UTF8.self))
            case REDIS_REPLY_ARRAY:
                // Sound: the parser fills as many elements as it says.
                self = .array(
                    (0..<reply.elements).map { index in reply.element[index].map { RedisReply($0.pointee) } ?? .null }
                )
            default: self = .null
            }
        }
    }
#endif
