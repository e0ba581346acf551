import ActorStore
import ActorStoreComposition

/// Counts the flights of one airport, decides when it is late, and requests the effects.
struct Airport: Reducer {
    /// An event of a flight of one of its carriers, or of its effects.
    enum Action: Equatable, Sendable {
        case flight(FlightNews, of: CarrierCode)
        /// The airport has become late, or is no longer late.
        case crossed(Alert.Kind)
        /// The alert was announced.
        case announced
        case weather(WeatherNews)
    }

    let code: AirportCode
    var rules = AirportRules()
    var alerts = AlertSink.silent
    @Dependency(\.weather) var weather
    @Dependency(\.clock) var clock

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .flight(let news, _): return count(news, in: &state)
        case .crossed, .announced: break
        case .weather(let news): state.recordWeather(news)
        }
        return .none
    }

    private func count(_ news: FlightNews, in state: inout State) -> Effect<Action> {
        switch news.phase {
        case .scheduled: state.figures.flights += 1
        case .arrived: state.figures.arrived += 1
        case .cancelled: state.figures.cancelled += 1
        case .diverted: state.figures.diverted += 1
        case .departed(let delay): return depart(late: delay, at: news.time, in: &state)
        }
        return .none
    }

    /// While the airport is late, each departure can change the announced delay.
    private func depart(late delay: Int, at time: BoardTime, in state: inout State) -> Effect<Action> {
        let before = state.figures
        state.recordDeparture(delay: delay)
        switch (before.isLate, state.figures.isLate) {
        case (false, false):
            return .none
        case (false, true):
            return .merge(.send(.crossed(.raised)), announce(.raised, state, time), askForWeather(at: time, in: &state))
        case (true, true):
            let isChange = state.figures.delayInTens != before.delayInTens
            return .merge(
                isChange ? announce(.raised, state, time) : .none,
                askForWeather(at: time, in: &state)
            )
        case (true, false):
            state.forgetWeather()
            return .merge(.send(.crossed(.cleared)), announce(.cleared, state, time), .cancel(id: EffectName.weather))
        }
    }

    /// The identities of its effects. Airports have their own stores, so the identities need not name the airport.
    private enum EffectName {
        case announcement, weather
    }

    /// Announces in the next pause, or after the maximum wait, and then only the latest alert.
    ///
    /// An effect's action enters the tree at the effect's store, and goes up from there like any other action.
    private func announce(_ kind: Alert.Kind, _ state: State, _ time: BoardTime) -> Effect<Action> {
        let alert = Alert(kind: kind, airport: code, rollingDelay: state.figures.rollingDelay ?? 0, time: time)
        return .run { [alerts] send in
            await alerts.announce(alert)
            send(.announced)
        }
        .debounce(
            id: EffectName.announcement,
            for: rules.announcements.pause,
            maxWait: rules.announcements.longestWait,
            clock: clock
        )
    }

    /// Requests the weather, unless it was requested lately, or a request is running.
    private func askForWeather(at time: BoardTime, in state: inout State) -> Effect<Action> {
        guard let rules = rules.weather, state.beginAskingForWeather(at: time, every: rules.interval) else {
            return .none
        }
        return .run(id: EffectName.weather, policy: .ignoreIfRunning) { [weather, code] send in
            send(.weather(.asked(attempt: RetryAttempt.current?.number ?? 1)))
            send(.weather(.reported(try await weather.report(code, time))))
        } catch: { error in
            .weather(.failed(WeatherError(error)))
        }
        // In this order the timeout applies to each attempt, and not to all of them together.
        .timeout(after: rules.patience, clock: clock)
        .retry(rules.retries, clock: clock)
    }
}
