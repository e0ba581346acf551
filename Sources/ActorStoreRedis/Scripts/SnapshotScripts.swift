#if Redis
    extension RedisScript {
        // The fourth key contains the finished snapshots by id: the identity of the log, and the snapshot as JSON. The
        // fifth contains the unfinished ones, with the time of the last write; 0 if they are to be deleted.

        /// Returns the usable snapshots as JSON.
        static let snapshots = RedisScript(
            .reads,
            #"""
            local it, reason = whole()
            if not it then return reason end
            local result = {'ok'}
            for _, record in ipairs(redis.call('HVALS', KEYS[4])) do
                local why = useless(it, record)
                if why and why[1] == 'record' then return why end
                if not why then result[#result + 1] = string.sub(record, 38) end
            end
            return result
            """#
        )

        /// Writes one part into the sixth key. Arguments: the id of the snapshot, the number of the part, its bytes.
        static let writePart = RedisScript(
            .writes,
            #"""
            local it, reason = open()
            if not it then return reason end
            -- A repeated call after a lost answer. Readers may already use the parts, so they stay as they are.
            if redis.call('HEXISTS', KEYS[4], ARGV[2]) == 1 then return {'ok'} end
            redis.call('HSET', KEYS[6], ARGV[3], ARGV[4])
            redis.call('HSET', KEYS[5], ARGV[2], text(milliseconds()))
            return {'ok'}
            """#
        )

        /// Finishes a snapshot whose parts are in the sixth key. Arguments: its id; the number of its parts; the
        /// position, origin and number of its point; the snapshot as JSON. Returns 1, or 0 if a snapshot exists that is
        /// as new.
        static let finish = RedisScript(
            .writesAlways,
            #"""
            local it, reason = whole()
            if not it then return reason end
            -- A repeated call after a lost answer.
            if redis.call('HEXISTS', KEYS[4], ARGV[2]) == 1 then return {'ok', '1'} end
            local function discard()
                redis.call('UNLINK', KEYS[6])
                redis.call('HDEL', KEYS[5], ARGV[2])
            end
            reason = missing(it, ARGV[4], ARGV[5], ARGV[6])
            if reason then
                discard()
                return reason
            end
            local count = redis.call('HLEN', KEYS[6])
            -- The server serves no other client during the loop, so it is not longer than the list of parts.
            if count >= tonumber(ARGV[3]) then
                count = 0
                for number = 0, tonumber(ARGV[3]) - 1 do
                    count = count + redis.call('HEXISTS', KEYS[6], text(number))
                end
            end
            if text(count) ~= ARGV[3] then
                discard()
                return {'parts', text(count), ARGV[3]}
            end
            local isNewest = true
            local others = redis.call('HGETALL', KEYS[4])
            for index = 1, #others, 2 do
                local why, position = useless(it, others[index + 1])
                if why then
                    -- A snapshot of lost entries, or a damaged one, must not block new ones.
                    redis.call('HDEL', KEYS[4], others[index])
                    redis.call('HSET', KEYS[5], others[index], '0')
                elseif position >= tonumber(ARGV[4]) then
                    isNewest = false
                end
            end
            if not isNewest then
                discard()
                return {'ok', '0'}
            end
            redis.call('HSET', KEYS[4], ARGV[2], ARGV[1] .. ' ' .. ARGV[7])
            redis.call('HDEL', KEYS[5], ARGV[2])
            return {'ok', '1'}
            """#
        )

        /// Deletes entries. Arguments: the position, the maximum number of entries, and the minimum age in
        /// milliseconds of the last write to unfinished snapshots. Returns 1 if there is more to delete, and the ids of
        /// snapshots whose parts are to be deleted.
        static let trim = RedisScript(
            .writesAlways,
            #"""
            local it, reason = whole()
            if not it then return reason end
            local target, more = math.min(tonumber(ARGV[2]), it.last), '0'
            if target > it.trimmed then
                -- At most 256 MB, even if all entries are as large as the largest one so far.
                local count = math.min(tonumber(ARGV[3]), math.max(100, math.floor(2^28 / math.max(it.largest, 1))))
                local last = math.min(target, it.trimmed + count)
                local origin, number = identity(it, text(last))
                if not number then return {'gap', text(last)} end
                local others = redis.call('HGETALL', KEYS[4])
                for index = 1, #others, 2 do
                    local why, position = useless(it, others[index + 1])
                    if why or position < target then
                        redis.call('HDEL', KEYS[4], others[index])
                        redis.call('HSET', KEYS[5], others[index], '0')
                    end
                end
                redis.call('XTRIM', entries, 'MINID', text(last + 1) .. '-0')
                redis.call('HSET', log, 'trimmed', text(last), 'trimmedOrigin', origin, 'trimmedNumber', number)
                if last < target then more = '1' end
            end
            local result, oldest = {'ok', more}, milliseconds() - tonumber(ARGV[4])
            local unfinished = redis.call('HGETALL', KEYS[5])
            for index = 1, #unfinished, 2 do
                if ARGV[4] == '0' or (tonumber(unfinished[index + 1]) or 0) <= oldest then
                    result[#result + 1] = unfinished[index]
                end
            end
            return result
            """#
        )

        /// Deletes the parts of an unfinished snapshot in the sixth key. Arguments: the id of the snapshot, and the
        /// minimum age of its last write in milliseconds.
        static let discard = RedisScript(
            .writesAlways,
            #"""
            local it, reason = open()
            if not it then return reason end
            local time = redis.call('HGET', KEYS[5], ARGV[2])
            -- Without an age, also what was written before the clock was set back.
            if time and (ARGV[3] == '0' or (tonumber(time) or 0) <= milliseconds() - tonumber(ARGV[3])) then
                redis.call('UNLINK', KEYS[6])
                redis.call('HDEL', KEYS[5], ARGV[2])
            end
            return {'ok'}
            """#
        )
    }
#endif
