import Foundation

/// The installed programs of a server.
struct ServerProgram: Sendable {
    let engine: Engine
    private let directory: URL

    /// Finds them.
    ///
    /// - Parameter path: An additional folder to search.
    static func find(
        _ engine: Engine,
        path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) throws -> ServerProgram {
        let own = engine == .redis ? ["/usr/bin"] : postgresDirectories
        let directories = own + (path ?? "").split(separator: ":").map(String.init)
        let needed = engine == .redis ? "redis-server" : "initdb"
        let found = directories.map { URL(fileURLWithPath: $0) }.first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent(needed).path)
        }
        guard let found else { throw DemoError.noServerProgram(engine) }
        return ServerProgram(engine: engine, directory: found)
    }

    /// Debian's folders, the newest version first; they are not in the `PATH`.
    private static var postgresDirectories: [String] {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        return versions.sorted(by: >).map { "\(root)/\($0)/bin" }
    }

    /// The user that has to run the programs: PostgreSQL refuses root. nil for that of this process.
    var user: String? { engine == .postgres && getuid() == 0 ? "postgres" : nil }

    /// Starts one of them.
    ///
    /// - Parameter errors: The file to which its standard error is appended.
    func start(_ name: String, _ arguments: [String], errors: URL) throws -> ChildProcess {
        let program = directory.appendingPathComponent(name)
        guard let user else { return try ChildProcess(program, arguments, errors: errors) }
        // It replaces itself by that program, and stays the same process.
        let words = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program.path] + arguments
        return try ChildProcess(URL(fileURLWithPath: "/usr/bin/setpriv"), words, errors: errors)
    }
}
