#if Replication
    import ActorStorePersistence
    import Foundation

    /// A state with its place in the stream, as it lies on the server for replicas that join.
    enum SharedSnapshot<State: Codable & Sendable> {
        /// The fields of the hash: place and revision for those who look, the rest for replicas.
        static func fields(of snapshot: ReplicaState<State>, _ coding: StateCoding) throws(StateCodingError) -> [Data] {
            let state = try coding.encode(snapshot.state)
            let log: Data
            do {
                log = try JSONEncoder().encode(snapshot.log)
            } catch {
                throw .unencodable("\(error)")
            }
            return [
                Data("position".utf8), Data("\(snapshot.log.position)".utf8),
                Data("revision".utf8), Data("\(snapshot.log.revision)".utf8),
                Data("schema".utf8), Data("\(coding.version)".utf8),
                Data("log".utf8), log,
                Data("state".utf8), state,
            ]
        }

        /// Those that can be read, the newest first, and what was wrong with one that cannot.
        static func load(
            by connection: RedisConnection,
            _ keys: StreamKeys,
            _ coding: StateCoding
        ) throws(RedisFailure) -> (snapshots: [ReplicaState<State>], error: ReplicationError?) {
            var snapshots: [ReplicaState<State>] = []
            var failure: ReplicationError?
            for key in [keys.snapshot, keys.previousSnapshot] {
                guard let fields = try connection.perform(RedisCommand("HGETALL", [key])).fields, !fields.isEmpty
                else { continue }
                do {
                    snapshots.append(try snapshot(of: fields, coding))
                } catch {
                    failure = failure ?? ReplicationError(keys.stream, ReplicationError.Cause(error))
                }
            }
            return (snapshots, failure)
        }

        private static func snapshot(
            of fields: [String: Data],
            _ coding: StateCoding
        ) throws(StateCodingError) -> ReplicaState<State> {
            guard let version = fields.number("schema"), let state = fields["state"], let log = fields["log"] else {
                throw .undecodable("The snapshot has not all its fields.")
            }
            let decoded: ReplicaLog
            do {
                decoded = try JSONDecoder().decode(ReplicaLog.self, from: log)
            } catch {
                throw .undecodable("\(error)")
            }
            guard decoded.isCredible else { throw .undecodable("The snapshot's numbers are none.") }
            return ReplicaState(state: try coding.state(of: state, version: Int(clamping: version)), log: decoded)
        }
    }
#endif
