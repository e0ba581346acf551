/// The frequency of announcements of an airport's delay, which changes all the time.
struct AnnouncementRules: Sendable {
    /// A delay is announced when it has not changed for this long.
    var pause = Duration.minutes(15)

    /// The maximum wait for an announcement, however often the delay changes.
    var longestWait = Duration.minutes(60)
}
