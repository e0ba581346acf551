/// The display of the running board. Observers and alerts call it from their own tasks.
protocol BoardDisplay: Sendable {
    func show(_ figures: BoardFigures) async
    func show(_ figures: AirportFigures, of airport: AirportCode) async
    func show(_ figures: CarrierFigures, of leg: Leg) async
    func show(_ alert: Alert) async

    /// The replay has ended: show the values held back.
    func finish() async
}
