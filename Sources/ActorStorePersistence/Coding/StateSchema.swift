public import Foundation

/// The version of the types in a log, and the migration from older versions.
///
/// ```swift
/// let schema = StateSchema(version: 2) { version, data in
///     // Amounts were whole numbers in version 1.
///     try JSONEncoder().encode(OrderAction(try JSONDecoder().decode(OldOrderAction.self, from: data)))
/// }
/// ```
///
/// Each record contains the version that it was written in. Older records are migrated whenever they are read, and are
/// not rewritten. Newer records are an error, so a program with a lower version cannot be used again. To keep that
/// possible, do not raise the version: let the types decode the old and the new form.
public struct StateSchema: Sendable {
    /// A closure that converts a record of an older version to the current one.
    public typealias Migration = @Sendable (_ version: Int, _ data: Data) throws -> Data

    /// The version that is written. Raise it if older records would be decoded wrongly or not at all, and if a state is
    /// encoded differently, because the digests would differ.
    public let version: Int
    let migrateAction: Migration
    let migrateState: Migration?

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - version: The version that is written.
    ///   - migrateAction: Converts an action of an older version to the current one.
    ///   - migrateState: Converts a state of an older version to the current one. Without it, snapshots of older
    ///     versions are not used: the state is rebuilt from the actions, as long as all of them are kept.
    public init(
        version: Int = 1,
        migrateAction: @escaping Migration = { _, data in data },
        migrateState: Migration? = nil
    ) {
        self.version = version
        self.migrateAction = migrateAction
        self.migrateState = migrateState
    }
}
