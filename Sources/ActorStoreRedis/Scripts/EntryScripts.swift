#if Redis
    extension RedisScript {
        /// Creates the log if it does not exist. Argument: the identity of a new log. Returns the identity of the log.
        static let create = RedisScript(
            .writesAlways,
            #"""
            local fields = redis.call('HMGET', log, 'format', 'identity')
            if not fields[1] then
                local count = redis.call('EXISTS', entries, origins)
                if count > 0 then return {'gone', text(count)} end
                redis.call('HSET', log, 'format', '1', 'identity', ARGV[1], 'last', '0', 'origin', '', 'number', '',
                    'trimmed', '0', 'trimmedOrigin', '', 'trimmedNumber', '', 'origins', '0', 'largest', '0')
                return {'ok', ARGV[1]}
            end
            if fields[1] ~= '1' then return {'format', fields[1]} end
            if not fields[2] then return {'fields'} end
            return {'ok', fields[2]}
            """#
        )

        /// Returns the first and the last position, and the origin and number of the last entry.
        ///
        /// It is marked as a script that writes, so that a server which has become a replica refuses it: the new
        /// primary may have later entries, which a barrier must not miss.
        static let status = RedisScript(
            .writesAlways,
            #"""
            local it, reason = whole()
            if not it then return reason end
            return {'ok', text(it.trimmed + 1), text(it.last), it.origin, it.number}
            """#
        )

        /// Returns the last number of an origin. Argument: the origin.
        static let lastNumber = RedisScript(
            .reads,
            #"""
            local it, reason = whole()
            if not it then return reason end
            return {'ok', redis.call('HGET', origins, ARGV[2]) or '0'}
            """#
        )

        /// Returns the origin and number at a position, or nothing. Argument: the position.
        static let identity = RedisScript(
            .reads,
            #"""
            local it, reason = whole()
            if not it then return reason end
            local origin, number, isTrimmed = identity(it, ARGV[2])
            if isTrimmed then return {'trimmed', ARGV[2], text(it.trimmed)} end
            if not number or number == '' then return {'ok'} end
            return {'ok', origin, number}
            """#
        )

        /// Appends a group. Arguments: `end` or `contains`; the position, origin and number of the point; the name and
        /// token of a lease, or two empty texts; the origin and the first number of the group; a header and a payload
        /// for each entry. Returns the position of the first entry.
        static let append = RedisScript(
            .writes,
            #"""
            local it, reason = whole()
            if not it then return reason end
            if ARGV[7] ~= '' then
                local lease = redis.call('HGET', KEYS[4], ARGV[6])
                if not lease or string.match(lease, '^%d+') ~= ARGV[7] then return {'fenced', ARGV[6]} end
            end
            reason = missing(it, ARGV[3], ARGV[4], ARGV[5])
            if reason then return reason end
            if ARGV[2] == 'end' and ARGV[3] ~= text(it.last) then return {'end', text(it.last), ARGV[3]} end
            local origin = ARGV[8]
            local known = redis.call('HGET', origins, origin)
            if known and not tonumber(known) then return {'origins'} end
            local expected = tonumber(known or '0') + 1
            if ARGV[9] ~= text(expected) then return {'number', text(expected), ARGV[9]} end

            -- From here on, everything succeeds. Only the first XADD can be refused, before anything is written: a
            -- foreign entry that was deleted since has left its greater id behind as the last one of the stream.
            local position, number, largest = it.last, expected - 1, it.largest
            for index = 10, #ARGV, 2 do
                position, number = position + 1, number + 1
                local function add(call)
                    return call('XADD', entries, text(position) .. '-0', 'origin', origin, 'number', text(number),
                        'header', ARGV[index], 'payload', ARGV[index + 1])
                end
                local added = (index == 10) and add(redis.pcall) or add(redis.call)
                if type(added) == 'table' and added.err then
                    if not string.find(added.err, 'equal or smaller', 1, true) then return added end
                    if it.last == it.trimmed then
                        redis.call('DEL', entries)
                    else
                        local id = text(it.last) .. '-0'
                        redis.call('XSETID', entries, id, 'ENTRIESADDED', text(it.last), 'MAXDELETEDID', '0-1')
                    end
                    add(redis.call)
                end
                largest = math.max(largest, #ARGV[index] + #ARGV[index + 1])
            end
            redis.call('HSET', origins, origin, text(number))
            redis.call('HSET', log, 'last', text(position), 'origin', origin, 'number', text(number),
                'largest', text(largest), 'origins', text(tonumber(it.origins) + (known and 0 or 1)))
            return {'ok', text(it.last + 1)}
            """#
        )

        /// Reads entries. Arguments: the position before the first entry, and the number of bytes. Returns the origin,
        /// number, header and payload of each entry.
        ///
        /// Each step takes as many entries as would fit if all were as large as the largest one so far, so that the
        /// server never copies more than the requested bytes. The number of entries is bounded, because the server
        /// serves no other client meanwhile.
        static let read = RedisScript(
            .reads,
            #"""
            local it, reason = whole()
            if not it then return reason end
            local position, budget, size, room = tonumber(ARGV[2]), tonumber(ARGV[3]), 0, 2048
            if position < it.trimmed then return {'trimmed', text(position + 1), text(it.trimmed)} end
            local result = {'ok'}
            while position < it.last and room > 0 do
                local count = math.min(64, room, math.floor((budget - size) / math.max(it.largest, 1)))
                local start = '(' .. text(position) .. '-0'
                local found = redis.call('XRANGE', entries, start, '+', 'COUNT', math.max(count, 1))
                if #found == 0 then return {'gap', text(position + 1)} end
                for _, entry in ipairs(found) do
                    local fields = entry[2]
                    local id = text(position + 1) .. '-0'
                    if entry[1] ~= id or #fields ~= 8 then return {'gap', text(position + 1)} end
                    local bytes = #fields[6] + #fields[8]
                    if size > 0 and size + bytes > budget then return result end
                    size, position, room = size + bytes, position + 1, room - 1
                    for index = 2, 8, 2 do result[#result + 1] = fields[index] end
                end
            end
            return result
            """#
        )

        /// Writes a field, so that `WAIT` waits for everything before it. Returns the last position.
        static let touch = RedisScript(
            .writesAlways,
            #"""
            local it, reason = open()
            if not it then return reason end
            redis.call('HSET', log, 'touched', text(milliseconds()))
            return {'ok', text(it.last)}
            """#
        )
    }
#endif
