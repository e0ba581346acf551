#if Redis
    extension RedisScript {
        // The fourth key contains the leases by name: the token, the end in milliseconds, and the holder.

        /// Claims or renews a lease. Arguments: its name; the holder; the duration in milliseconds; 1 for a new token;
        /// a random number below a million; the token of the only lease that may be renewed, or an empty text; a token
        /// that a new one must exceed. Returns the token and the holder.
        ///
        /// A token consists of the server's time and six random digits, or continues from the last token by as much if
        /// the clock was set back. The unit of the time is 1,000,000 / 2^20 of a millisecond, so that tokens are as
        /// great as those of other engines, which append 20 bits to the milliseconds. A server that has lost its newest
        /// leases repeats one of their tokens only if its clock was set back or is that of another machine, so that a
        /// new token has the time of a lost one, *and* the digits are equal: for one such pair of tokens, the
        /// probability is one in a million. While clocks run forward, it is zero. The caller passes the digits, because
        /// scripts get the same random numbers each time.
        ///
        /// Tokens have 19 digits and are handled in two halves, each exact as a double. They are below 2^63 until the
        /// year 2248.
        static let claim = RedisScript(
            .writesAlways,
            #"""
            local it, reason = open()
            if not it then return reason end
            local name, holder, duration, random = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[6])
            local now = milliseconds()
            local high, low = 1, 0
            -- Records the greatest known token.
            local function note(token)
                if not token then return end
                local tokenHigh, tokenLow = tonumber(string.sub(token, 1, -7)), tonumber(string.sub(token, -6))
                if tokenHigh and tokenLow and (tokenHigh > high or tokenHigh == high and tokenLow > low) then
                    high, low = tokenHigh, tokenLow
                end
            end
            local lease = redis.call('HGET', KEYS[4], name)
            if ARGV[7] ~= '' then
                if not lease then return {'ok', '0', ''} end
                local token, _, owner = string.match(lease, '^(%d+) (%d+) (.*)$')
                if not token then return {'lease', name} end
                if token == ARGV[7] then
                    redis.call('HSET', KEYS[4], name, token .. ' ' .. text(now + duration) .. ' ' .. owner)
                end
                return {'ok', token, owner}
            end
            if lease then
                local token, finish, owner = string.match(lease, '^(%d+) (%d+) (.*)$')
                if not token then return {'lease', name} end
                if now < tonumber(finish) then
                    if owner ~= holder then return {'ok', token, owner} end
                    if ARGV[5] ~= '1' then
                        redis.call('HSET', KEYS[4], name, token .. ' ' .. text(now + duration) .. ' ' .. holder)
                        return {'ok', token, holder}
                    end
                end
                note(token)
            end
            note(redis.call('HGET', log, 'token'))
            note(ARGV[8])
            local time = math.floor(now * 1.048576)
            if time > high then
                high, low = time, random
            else
                low = low + 1 + random
                if low >= 1000000 then high, low = high + 1, low - 1000000 end
            end
            if high > 9223372036853 then return {'exhausted'} end
            local token = text(high) .. string.format('%06d', low)
            redis.call('HSET', log, 'token', token)
            redis.call('HSET', KEYS[4], name, token .. ' ' .. text(now + duration) .. ' ' .. holder)
            return {'ok', token, holder}
            """#
        )

        /// Ends a lease. Arguments: its name, token and holder. The record remains: later appends of the holder are
        /// accepted until another lease is granted.
        static let release = RedisScript(
            .writesAlways,
            #"""
            local it, reason = open()
            if not it then return reason end
            local lease = redis.call('HGET', KEYS[4], ARGV[2])
            if lease then
                local token, _, owner = string.match(lease, '^(%d+) (%d+) (.*)$')
                if token == ARGV[3] and owner == ARGV[4] then
                    redis.call('HSET', KEYS[4], ARGV[2], token .. ' ' .. text(milliseconds()) .. ' ' .. owner)
                end
            end
            return {'ok'}
            """#
        )

        /// Records the position of a replica: the time in the fourth key, the position in the fifth. Arguments: the
        /// origin and the position. Deletes up to 100 replicas that have not reported for thirty days.
        static let report = RedisScript(
            .writesAlways,
            #"""
            local it, reason = open()
            if not it then return reason end
            local now = milliseconds()
            redis.call('ZADD', KEYS[4], text(now), ARGV[2])
            redis.call('HSET', KEYS[5], ARGV[2], ARGV[3])
            local old = redis.call('ZRANGE', KEYS[4], '-inf', text(now - 2592000000), 'BYSCORE', 'LIMIT', 0, 100)
            for _, origin in ipairs(old) do
                redis.call('ZREM', KEYS[4], origin)
                redis.call('HDEL', KEYS[5], origin)
            end
            return {'ok'}
            """#
        )

        /// Returns the origin and position of each replica that has reported recently. Argument: the age in
        /// milliseconds.
        static let presences = RedisScript(
            .reads,
            #"""
            local it, reason = open()
            if not it then return reason end
            local result = {'ok'}
            local since = text(milliseconds() - tonumber(ARGV[2]))
            for _, origin in ipairs(redis.call('ZRANGE', KEYS[4], since, '+inf', 'BYSCORE')) do
                result[#result + 1] = origin
                result[#result + 1] = redis.call('HGET', KEYS[5], origin) or '0'
            end
            return result
            """#
        )
    }
#endif
