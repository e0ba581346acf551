import CHiredis
import Foundation

/// Plain hiredis: `XADD`, and a blocking `XREAD`.
final class RedisFeed: SignalFeed {
    private let connection: PlainRedis
    private let stream: String

    init(port: Int, stream: String) throws {
        connection = try PlainRedis(port: port)
        self.stream = stream
    }

    func create() {}

    func beginPublishing() {}

    func publish(_ bytes: Data) throws {
        try connection.perform(["XADD", stream, "*", "signal"].map { Array($0.utf8) } + [Array(bytes)])
    }

    func beginFollowing() {}

    func follow(_ body: (Data) throws -> Void) throws {
        var last = "0"
        while true {
            let words = ["XREAD", "COUNT", "1000", "BLOCK", "0", "STREAMS", stream, last].map { Array($0.utf8) }
            try connection.perform(words) { reply in
                // A list of streams, each with its name and its entries.
                guard reply.elements == 1, let entries = reply.element[0]?.pointee.element[1]?.pointee else {
                    throw SetUpError("There is no stream in the answer.")
                }
                for index in 0..<entries.elements {
                    let (id, payload) = try PlainRedis.entry(index, of: entries)
                    last = id
                    try body(Data(payload))
                }
            }
        }
    }
}
