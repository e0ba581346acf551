public import Foundation

/// The version of the types that a log holds, and the way from older ones to it.
///
/// ```swift
/// let schema = StateSchema(version: 2) { version, data in
///     // Amounts were whole numbers in version 1.
///     try JSONEncoder().encode(OrderAction(try JSONDecoder().decode(OldOrderAction.self, from: data)))
/// }
/// ```
///
/// Each record says which version it was written in. Older ones are migrated whenever they are read, and stay as
/// they are in the file. Newer ones are an error.
public struct StateSchema: Sendable {
    /// What makes a record of this version from one of an older version.
    public typealias Migration = @Sendable (_ version: Int, _ data: Data) throws -> Data

    /// The version that is written. Raise it when older records would be decoded wrongly or not at all, and when a state
    /// is encoded otherwise than before, because digests of the two would differ.
    public let version: Int
    let migrateAction: Migration
    let migrateState: Migration?

    /// Creates a schema.
    ///
    /// - Parameters:
    ///   - version: The version that is written.
    ///   - migrateAction: Makes an action of this version from one of an older version.
    ///   - migrateState: Does the same for states. Without it snapshots of older versions are not used: the state
    ///   comes from the actions then, as long as all of them are kept.
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
