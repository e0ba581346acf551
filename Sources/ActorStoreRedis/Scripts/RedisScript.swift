#if Redis
    /// A Lua script, which the server runs in one step.
    ///
    /// Scripts have no rollback, so each checks everything before its first write. The first line marks a script of
    /// Redis 7: the server refuses to start it if memory is exhausted, if it is a replica, or if it cannot write its
    /// file.
    ///
    /// An answer is an array whose first element is `ok` or the reason for a refusal, see ``ScriptRefusal``.
    struct RedisScript: Sendable {
        let text: String

        /// The effect of a script on the server.
        enum Kind: String {
            case reads = "#!lua flags=no-writes"
            case writes = "#!lua"
            /// The script writes little, or deletes. It also runs when memory is exhausted.
            case writesAlways = "#!lua flags=allow-oom"
        }

        init(_ kind: Kind, _ body: String) { text = "\(kind.rawValue)\n\(Self.common)\n\(body)" }

        /// The common part of all scripts. Their first argument is the identity of the log, and their first keys are
        /// the entries, the origins and the log itself.
        private static let common = #"""
            local entries, origins, log = KEYS[1], KEYS[2], KEYS[3]

            -- Numbers are doubles, which are exact below 2^53; see RedisLimits.
            local function text(number) return string.format('%.0f', number) end

            local function milliseconds()
                local time = redis.call('TIME')
                return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
            end

            -- Returns the fields of the log; or nil and the reason why it is not the log of this connection.
            local function open()
                local fields = redis.call('HMGET', log, 'format', 'identity', 'last', 'origin', 'number', 'trimmed',
                    'trimmedOrigin', 'trimmedNumber', 'origins', 'largest')
                if not fields[1] then return nil, {'gone', text(redis.call('EXISTS', entries, origins))} end
                if fields[1] ~= '1' then return nil, {'format', fields[1]} end
                if fields[2] ~= ARGV[1] then return nil, {'other'} end
                for index = 3, 10 do
                    if not fields[index] then return nil, {'fields'} end
                end
                local it = {last = tonumber(fields[3]), origin = fields[4], number = fields[5],
                    trimmed = tonumber(fields[6]), trimmedOrigin = fields[7], trimmedNumber = fields[8],
                    origins = fields[9], largest = tonumber(fields[10])}
                if not (it.last and it.trimmed and it.largest) then return nil, {'fields'} end
                return it
            end

            -- Returns the difference between the log's fields and its entries and origins; nil if they match.
            local function damage(it)
                local id = text(it.last) .. '-0'
                local newest = redis.call('XREVRANGE', entries, '+', '-', 'COUNT', 1)[1]
                if newest and newest[1] ~= id then
                    local foreign = {}
                    for index, entry in ipairs(redis.call('XRANGE', entries, '(' .. id, '+', 'COUNT', 8)) do
                        foreign[index] = entry[1]
                    end
                    if #foreign > 0 then return {'foreign', table.concat(foreign, ' ')} end
                end
                if it.last > it.trimmed then
                    local found = newest and newest[1] or 'none'
                    if found ~= id then return {'lost', text(it.last), found} end
                    if newest[2][2] ~= it.origin or newest[2][4] ~= it.number then return {'changed', text(it.last)} end
                end
                local length = redis.call('XLEN', entries)
                if length ~= it.last - it.trimmed then return {'count', text(length), text(it.last - it.trimmed)} end
                if it.last > 0 and redis.call('HGET', origins, it.origin) ~= it.number then return {'origins'} end
                if text(redis.call('HLEN', origins)) ~= it.origins then return {'origins'} end
            end

            -- Returns the log if it is undamaged; or nil and the reason.
            local function whole()
                local it, reason = open()
                if not it then return nil, reason end
                reason = damage(it)
                if reason then return nil, reason end
                return it
            end

            -- Returns the origin and number of the entry at a position, both nil if there is no entry, and whether
            -- it was trimmed.
            local function identity(it, position)
                local place = tonumber(position)
                if place == it.trimmed then return it.trimmedOrigin, it.trimmedNumber end
                if place < it.trimmed then return nil, nil, true end
                if place > it.last then return nil, nil end
                local entry = redis.call('XRANGE', entries, position .. '-0', position .. '-0')[1]
                if not entry then return nil, nil end
                return entry[2][2], entry[2][4]
            end

            -- Returns why an entry is not at a position; nil if it is. The log always contains the start, which has
            -- no number.
            local function missing(it, position, origin, number)
                if position == '0' and number == '' then return nil end
                local foundOrigin, foundNumber, isTrimmed = identity(it, position)
                if isTrimmed then return {'trimmed', position, text(it.trimmed)} end
                if foundNumber == number and foundOrigin == origin and number ~= '' then return nil end
                return {'absent', position}
            end

            -- Returns why a snapshot cannot be used; nil if it can. The record begins with the identity of its log.
            local function useless(it, record)
                if string.sub(record, 1, 37) ~= ARGV[1] .. ' ' then return {'other'} end
                local isRead, snapshot = pcall(cjson.decode, string.sub(record, 38))
                local point = isRead and type(snapshot) == 'table' and snapshot.point
                if type(point) ~= 'table' or type(point.position) ~= 'number' then return {'record'} end
                if not point.identity then
                    -- Only the start has none.
                    return point.position ~= 0 and {'absent', text(point.position)} or nil, point.position
                end
                if type(point.identity) ~= 'table' or type(point.identity.number) ~= 'number' then
                    return {'record'}
                end
                return missing(it, text(point.position), point.identity.origin, text(point.identity.number)),
                    point.position
            end
            """#
    }

    /// The limits of the engine.
    enum RedisLimits {
        /// Positions and numbers are below 2^53: scripts count in doubles.
        static let largestNumber: UInt64 = (1 << 53) - 1
        /// The maximum number of bytes of one entry, or of one part of a snapshot: the server serves no other client
        /// while it copies them.
        static let largestValue = 64 << 20
        /// The maximum number of bytes of one group.
        static let largestGroup = 256 << 20
        /// The maximum number of entries of one group.
        static let largestCount = 100_000
        /// The maximum number of entries that one trim deletes.
        static let trimmedAtOnce = 10_000
        /// The maximum number of bytes that one read returns, unless it returns a single entry.
        static let readAtOnce = 64 << 20
    }
#endif
