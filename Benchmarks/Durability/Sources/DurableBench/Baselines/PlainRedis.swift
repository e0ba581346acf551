import ActorStorePersistence
import ActorStoreRedis
import CHiredis
import Foundation

/// Streams of a server.
struct RedisEngine: DurableEngine {
    let instance: RedisInstance

    init(_ syncTime: SyncTime) throws { instance = try RedisInstance.shared(syncTime) }

    func makeLog() -> any ActionLog { instance.log(UUID().uuidString) }

    func checkpoint() throws { try PlainRedis(port: instance.port).perform("BGREWRITEAOF") }
}

/// Plain hiredis. A group of rows is a pipeline of that many XADD, after which the server syncs once.
final class PlainRedis: PlainInserts, @unchecked Sendable {
    // Sound: a benchmark has one producer, so that one thread at a time uses the connection.
    private let context: UnsafeMutablePointer<redisContext>
    private var engine: RedisEngine?
    private let stream = "plain-\(UUID().uuidString)"

    init(port: Int) throws {
        guard let context = redisConnect("127.0.0.1", Int32(port)) else { throw SetUpError("hiredis has no memory.") }
        self.context = context
        // Also while the server loads its data.
        try perform("PING")
    }

    convenience init(on engine: RedisEngine) throws {
        try self.init(port: engine.instance.port)
        self.engine = engine
    }

    deinit { redisFree(context) }

    func perform(_ words: String...) throws { try perform(words.map { Array($0.utf8) }) }

    /// Makes the server execute a command, and checks its response.
    func perform(_ words: [[UInt8]], _ body: (redisReply) throws -> Void = { _ in }) throws {
        append(words)
        try receive(body)
    }

    /// The id of an entry in a list of entries, and the value of its only field.
    static func entry(_ index: Int, of entries: redisReply) throws -> (id: String, value: UnsafeRawBufferPointer) {
        guard let entry = entries.element[index]?.pointee, let id = entry.element[0]?.pointee,
            let value = entry.element[1]?.pointee.element[1]?.pointee
        else { throw SetUpError("The stream has an entry of another form.") }
        return (String(cString: id.str), UnsafeRawBufferPointer(start: value.str, count: value.len))
    }

    func insert(_ count: Int, atOnce: Int) throws {
        let words = ["XADD", stream, "*", "action"].map { Array($0.utf8) } + [Booking.bytes]
        var left = count
        while left > 0 {
            let group = min(left, atOnce)
            for _ in 0..<group { append(words) }
            for _ in 0..<group { try receive { _ in } }
            left -= group
        }
    }

    func readAll(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var last = "-"
        while true {
            append(["XRANGE", stream, last, "+", "COUNT", "1000"].map { Array($0.utf8) })
            let isOver = try receive { reply in
                for index in 0..<reply.elements {
                    let (id, payload) = try Self.entry(index, of: reply)
                    last = "(" + id
                    try body(payload)
                }
                return reply.elements == 0
            }
            if isOver { return }
        }
    }

    private func append(_ words: [[UInt8]]) {
        // In one piece, whose parts are then copied by hiredis.
        let bytes = words.flatMap { $0 }
        let lengths = words.map(\.count)
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            var pointers = lengths.map { length -> UnsafePointer<CChar>? in
                defer { offset += length }
                return bytes.bindMemory(to: CChar.self).baseAddress.map { $0 + offset }
            }
            redisAppendCommandArgv(context, Int32(words.count), &pointers, lengths)
        }
    }

    private func receive<Value>(_ body: (redisReply) throws -> Value) throws -> Value {
        var answer: UnsafeMutableRawPointer?
        guard redisGetReply(context, &answer) == REDIS_OK, let answer else {
            throw SetUpError("The server does not answer.")
        }
        defer { freeReplyObject(answer) }
        let reply = answer.assumingMemoryBound(to: redisReply.self).pointee
        guard reply.type != REDIS_REPLY_ERROR else { throw SetUpError("Redis says: \(String(cString: reply.str))") }
        return try body(reply)
    }
}
