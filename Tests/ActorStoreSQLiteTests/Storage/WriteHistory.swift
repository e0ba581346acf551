#if SQLite
    import ActorStoreSimulation
    import Foundation

    /// The changes of a process to the files of a folder, in order, as recorded by `Tests/CFileFaults`.
    struct WriteHistory {
        enum Record {
            case created(UInt32, name: String)
            case written(UInt32, offset: Int, [UInt8])
            case truncated(UInt32, length: Int)
            /// All earlier writes to a file are on the disk; for file 0, all creations and deletions.
            case synced(UInt32)
            case deleted(UInt32)
            /// The process has reported something.
            case marked(String)
        }

        private(set) var records: [Record] = []

        init(contentsOf path: String) throws {
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))[...]
            func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
                let size = MemoryLayout<Number>.size
                defer { bytes = bytes.dropFirst(size) }
                return bytes.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
            }
            while !bytes.isEmpty {
                let (operation, file) = (number(UInt32.self), number(UInt32.self))
                let (offset, length) = (Int(number(UInt64.self)), Int(number(UInt64.self)))
                let data = Array(bytes.prefix(length))
                bytes = bytes.dropFirst(length)
                let record: Record =
                    switch operation {
                    case 1: .created(file, name: String(decoding: data, as: UTF8.self))
                    case 2: .written(file, offset: offset, data)
                    case 3: .truncated(file, length: offset)
                    case 4: .synced(file)
                    case 5: .deleted(file)
                    default: .marked(String(decoding: data, as: UTF8.self))
                    }
                records.append(record)
            }
        }
    }

    /// The contents of a disk, and the writes in flight: a plain value.
    ///
    /// Unsynced writes may be there or not after a power loss, each sector of it independently and in any order. A file
    /// exists when it, or its folder, was synced after its creation, like in file systems with a journal; it is gone
    /// when its folder was synced after its deletion.
    struct Disk {
        private static let sector = 512

        private struct File {
            let name: String
            var isThere = false
            var isDeleted = false
            var synced: [UInt8] = []
            var pending: [WriteHistory.Record] = []
        }

        private var files: [UInt32: File] = [:]
        /// The reports of the process.
        private(set) var marks: [String] = []

        mutating func apply(_ record: WriteHistory.Record) {
            switch record {
            case .created(let file, let name): files[file] = File(name: name)
            case .written(let file, _, _), .truncated(let file, _): files[file]?.pending.append(record)
            case .synced(0):
                for (number, file) in files {
                    if file.isDeleted { files[number] = nil } else { files[number]?.isThere = true }
                }
            case .synced(let number):
                guard var file = files.removeValue(forKey: number) else { return }
                for record in file.pending { Self.apply(record, to: &file.synced) }
                file.pending = []
                file.isThere = true
                files[number] = file
            case .deleted(let file): files[file]?.isDeleted = true
            case .marked(let text): marks.append(text)
            }
        }

        /// The contents after a power loss now.
        ///
        /// - Parameter share: The part of unsynced writes that survives: 1 for everything.
        func contents(share: Double, using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
            var contents: [String: [UInt8]] = [:]
            // A later file of the same name replaces an earlier one.
            for (_, file) in files.sorted(by: { $0.key < $1.key }) {
                if file.isDeleted, Double.random(in: 0..<1, using: &random) < share { continue }
                if !file.isThere, Double.random(in: 0..<1, using: &random) >= share { continue }
                var bytes = file.synced
                for record in file.pending {
                    Self.apply(record, to: &bytes) { Double.random(in: 0..<1, using: &random) < share }
                }
                contents[file.name] = bytes
            }
            return contents
        }

        private static func apply(
            _ record: WriteHistory.Record,
            to bytes: inout [UInt8],
            where isWritten: () -> Bool = { true }
        ) {
            switch record {
            case .written(_, let offset, let data):
                var start = offset
                while start < offset + data.count {
                    let end = min((start / sector + 1) * sector, offset + data.count)
                    if isWritten() {
                        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
                        bytes.replaceSubrange(start..<end, with: data[(start - offset)..<(end - offset)])
                    }
                    start = end
                }
            case .truncated(_, let length):
                guard isWritten() else { return }
                if length < bytes.count {
                    bytes.removeSubrange(length...)
                } else {
                    bytes += [UInt8](repeating: 0, count: length - bytes.count)
                }
            default: break
            }
        }
    }
#endif
