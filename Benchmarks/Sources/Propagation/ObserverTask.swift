/// The task of an observing process, as the words of its command line after the name of the command.
public struct ObserverTask: Equatable, Sendable {
    /// The first word of the command line.
    public static let command = "observe"

    /// The means of observation.
    public enum Means: String, Sendable {
        /// By a replica of the store.
        case replica
        /// By the client library of the database.
        case plain
    }

    /// The location of the observed data.
    public enum Place: Equatable, Sendable {
        case redis(port: Int)
        case postgres(connectionString: String)
    }

    /// The means of observation.
    public let means: Means
    /// The server.
    public let place: Place
    /// The name of the log, the stream or the table.
    public let stream: String

    /// - Parameters:
    ///   - means: The means of observation.
    ///   - place: The server.
    ///   - stream: The name of the log, the stream or the table.
    public init(_ means: Means, _ place: Place, stream: String) {
        self.means = means
        self.place = place
        self.stream = stream
    }

    /// The task for the words.
    public init(_ words: [String]) throws(ObserverFailure) {
        let failure = ObserverFailure("'\(words.joined(separator: " "))' says nothing that can be observed.")
        guard words.count == 4, let means = Means(rawValue: words[0]) else { throw failure }
        switch (words[1], Int(words[2])) {
        case ("redis", let port?): self.init(means, .redis(port: port), stream: words[3])
        case ("postgres", _): self.init(means, .postgres(connectionString: words[2]), stream: words[3])
        default: throw failure
        }
    }

    /// The words of the command line after the name of the command.
    public var words: [String] {
        switch place {
        case .redis(let port): [means.rawValue, "redis", "\(port)", stream]
        case .postgres(let connectionString): [means.rawValue, "postgres", connectionString, stream]
        }
    }
}
