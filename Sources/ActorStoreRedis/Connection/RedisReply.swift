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

        /// The text, or the number as text.
        var string: String? {
            switch self {
            case .text(let data): String(decoding: data, as: UTF8.self)
            case .integer(let number): String(number)
            case .null, .array, .error: nil
            }
        }

        var data: Data? { if case .text(let data) = self { data } else { nil } }

        var elements: [RedisReply]? { if case .array(let elements) = self { elements } else { nil } }

        /// The number, or a text that is a number.
        var number: UInt64? { string.flatMap { UInt64($0) } }
    }

    /// Parses answers with hiredis.
    final class RedisReplyParser {
        // Sound: the pointer is created in `init`, freed in `deinit`, and does not escape.
        private let reader: UnsafeMutablePointer<redisReader>

        /// The server's bytes violate the protocol, or memory is exhausted.
        struct Failure: Error {
            let reason: String
        }

        init() throws(Failure) {
            guard let reader = redisReaderCreate() else {
                throw Failure(reason: "hiredis has no memory for a connection.")
            }
            self.reader = reader
        }

        deinit { redisReaderFree(reader) }

        /// Appends bytes from the server.
        func feed(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
            guard let start = bytes.baseAddress else { return }
            // Sound: the bytes are copied before the function returns.
            let result = redisReaderFeed(reader, start.assumingMemoryBound(to: CChar.self), bytes.count)
            guard result == REDIS_OK else { throw failure }
        }

        /// Returns the next answer; nil if it is incomplete.
        func next() throws(Failure) -> RedisReply? {
            var answer: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &answer) == REDIS_OK else { throw failure }
            guard let answer else { return nil }
            defer { freeReplyObject(answer) }
            // Sound: with hiredis' own functions, the parser creates only objects of this type.
            return RedisReply(answer.assumingMemoryBound(to: redisReply.self).pointee)
        }

        private var failure: Failure {
            // Sound: the text ends with a zero byte within its 128 bytes.
            let text = withUnsafePointer(to: &reader.pointee.errstr) {
                $0.withMemoryRebound(to: CChar.self, capacity: 128) { String(cString: $0) }
            }
            return Failure(reason: text.isEmpty ? "The server's answer cannot be parsed." : text)
        }
    }

    extension RedisReply {
        /// Copies an object of the parser.
        fileprivate init(_ reply: redisReply) {
            switch reply.type {
            case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
            case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Data(bytes: reply.str, count: reply.len))
            case REDIS_REPLY_ERROR:
                self = .error(String(decoding: Data(bytes: reply.str, count: reply.len), as: UTF8.self))
            case REDIS_REPLY_ARRAY:
                // Sound: the parser fills in as many elements as `elements` says.
                self = .array(
                    (0..<reply.elements).map { index in reply.element[index].map { RedisReply($0.pointee) } ?? .null }
                )
            default: self = .null
            }
        }
    }
#endif
