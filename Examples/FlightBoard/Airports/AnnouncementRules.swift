/// How often people are told of an airport's delay, which changes all the time.
struct AnnouncementRules: Sendable {
    /// They are told when it has not changed for so long.
    var pause = Duration.minutes(15)

    /// They do not wait longer than this, however often it changes.
    var longestWait = Duration.minutes(60)
}
