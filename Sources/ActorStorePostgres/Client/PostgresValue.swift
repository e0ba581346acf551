#if Postgres
    import Foundation

    /// A parameter of a statement, in the server's binary format.
    enum PostgresValue {
        case null
        case number(Int64)
        case flag(Bool)
        case uuid(UUID)
        case text(String)
        case bytes(Data)
        case texts([String])
        case byteStrings([Data])

        static func text(orNull text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

        /// Returns a position or number as the server stores it. The server's numbers count from 1 without gaps and
        /// stay below `Int64.max`, so a greater number stands for one that does not exist.
        static func number(clamping number: UInt64) -> PostgresValue { .number(Int64(clamping: number)) }

        /// Whether a text contains a NUL character, which the server cannot store.
        var hasNUL: Bool {
            switch self {
            case .text(let text): text.utf8.contains(0)
            case .texts(let texts): texts.contains { $0.utf8.contains(0) }
            case .null, .number, .flag, .uuid, .bytes, .byteStrings: false
            }
        }
    }

    /// The parameters of a statement, one after the other.
    struct PostgresParameters {
        private(set) var bytes: [UInt8] = []
        /// The range of each parameter in `bytes`; nil for NULL.
        private(set) var ranges: [Range<Int>?] = []

        init(_ values: [PostgresValue]) {
            for value in values {
                if case .null = value {
                    ranges.append(nil)
                    continue
                }
                let start = bytes.count
                append(value)
                ranges.append(start..<bytes.count)
            }
            // Ensures that there is an address even if all parameters are empty.
            bytes.append(0)
        }

        private mutating func append(_ value: PostgresValue) {
            switch value {
            case .null: break
            case .number(let number): append(bigEndian: number)
            case .flag(let flag): bytes.append(flag ? 1 : 0)
            case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .bytes(let data): bytes.append(contentsOf: data)
            case .texts(let texts): append(elements: texts.map(\.utf8), type: 25)
            case .byteStrings(let strings): append(elements: strings, type: 17)
            }
        }

        /// Appends an array: the number of dimensions, whether there are NULLs, the type's number in the server's
        /// catalog, the number of elements, the first index, and each element with its size.
        private mutating func append(elements: [some Collection<UInt8>], type: Int32) {
            for number in [elements.isEmpty ? 0 : 1, 0, type] { append(bigEndian: number) }
            if elements.isEmpty { return }
            append(bigEndian: Int32(clamping: elements.count))
            append(bigEndian: Int32(1))
            bytes.reserveCapacity(bytes.count + elements.reduce(0) { $0 + $1.count + 4 })
            for element in elements {
                append(bigEndian: Int32(clamping: element.count))
                bytes.append(contentsOf: element)
            }
        }

        private mutating func append(bigEndian number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }
#endif
