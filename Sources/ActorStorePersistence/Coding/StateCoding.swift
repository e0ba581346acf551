import ActorStore
package import Foundation

/// Encodes values, and decodes values of any version of the schema up to the current one.
package struct StateCoding: Sendable {
    private let codec: any StateCodec
    private let schema: StateSchema

    package init(codec: any StateCodec, schema: StateSchema) {
        self.codec = codec
        self.schema = schema
    }

    /// The version that is written.
    package var version: Int { schema.version }

    package func encode(_ value: some Encodable) throws(StateCodingError) -> Data {
        do {
            return try codec.encode(value)
        } catch {
            throw .unencodable(ValueDescription.text(of: error))
        }
    }

    package func action<Action: Decodable>(of data: Data, version: Int) throws(StateCodingError) -> Action {
        try value(of: data, version, schema.migrateAction)
    }

    package func state<State: Decodable>(of data: Data, version: Int) throws(StateCodingError) -> State {
        try value(of: data, version, schema.migrateState)
    }

    private func value<Value: Decodable>(
        of data: Data,
        _ version: Int,
        _ migrate: StateSchema.Migration?
    ) throws(StateCodingError) -> Value {
        guard version == schema.version || (version < schema.version && migrate != nil) else {
            throw .unknownSchema(version)
        }
        do {
            var data = data
            if version < schema.version, let migrate { data = try migrate(version, data) }
            return try codec.decode(Value.self, from: data)
        } catch {
            throw .undecodable(ValueDescription.text(of: error))
        }
    }
}

/// The reason why a value cannot be encoded or decoded.
package enum StateCodingError: Error, Equatable {
    /// The value could not be encoded.
    case unencodable(String)
    /// The bytes are of a newer version, or of an older one without a migration.
    case unknownSchema(Int)
    /// The bytes could not be migrated or decoded.
    case undecodable(String)
}
