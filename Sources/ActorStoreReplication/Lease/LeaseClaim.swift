#if Replication
    /// What a replica knows of its own lease: a plain value. It goes by its own clock, which need not agree with
    /// others'.
    struct LeaseClaim: Sendable {
        /// How long a lease lasts from when it was asked for.
        let duration: Duration
        private var token: UInt64?
        private var end: ContinuousClock.Instant?

        init(duration: Duration) { self.duration = duration }

        /// The server has granted or renewed it.
        ///
        /// - Parameters:
        ///   - moment: When it was asked for; the server may have heard of it later, never earlier.
        ///   - now: When the answer has come.
        /// - Returns: false if its time was over before the answer came: what was begun under it has been given up, so
        ///   that a new one is needed.
        mutating func grant(
            _ token: UInt64,
            askedAt moment: ContinuousClock.Instant,
            now: ContinuousClock.Instant
        ) -> Bool {
            if self.token == token, let end, now >= end { return false }
            self.token = token
            end = moment + duration
            return true
        }

        /// Somebody else has it, or it was given back.
        ///
        /// - Returns: whether it was held until then.
        @discardableResult
        mutating func lose() -> Bool {
            defer { (token, end) = (nil, nil) }
            return token != nil
        }

        /// The token, for as long as the lease lasts.
        func token(at moment: ContinuousClock.Instant) -> UInt64? {
            guard let token, let end, moment < end else { return nil }
            return token
        }

        /// Notices that the time is over.
        ///
        /// - Returns: whether it was just now.
        mutating func expire(at moment: ContinuousClock.Instant) -> Bool {
            guard let end, moment >= end else { return false }
            return lose()
        }
    }
#endif
