#if Replication
    import Foundation

    /// What a Redis server answers.
    enum RedisReply: Equatable {
        case null
        case integer(Int64)
        case text(Data)
        case array([RedisReply])
        case error(String)

        /// A text, or a number as one.
        var string: String? {
            switch self {
            case .text(let data): String(decoding: data, as: UTF8.self)
            case .integer(let number): String(number)
            case .null, .array, .error: nil
            }
        }

        var data: Data? {
            if case .text(let data) = self { data } else { nil }
        }

        var elements: [RedisReply]? {
            if case .array(let elements) = self { elements } else { nil }
        }

        /// A number, or a text that is one.
        var number: UInt64? { string.flatMap { UInt64($0) } }

        /// The fields of a hash or of a stream's entry: names and values in turn.
        var fields: [String: Data]? {
            guard let elements, elements.count.isMultiple(of: 2) else { return nil }
            var fields: [String: Data] = [:]
            for index in stride(from: 0, to: elements.count, by: 2) {
                guard let name = elements[index].string else { return nil }
                fields[name] = elements[index + 1].data
            }
            return fields
        }
    }

    extension [String: Data] {
        /// The text of a field.
        func text(_ name: String) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

        /// The number in a field.
        func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }
    }
#endif
