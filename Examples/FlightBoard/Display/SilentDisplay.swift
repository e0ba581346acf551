/// Shows nothing, for `--json`.
struct SilentDisplay: BoardDisplay {
    func show(_ figures: BoardFigures) {}
    func show(_ figures: AirportFigures, of airport: AirportCode) {}
    func show(_ figures: CarrierFigures, of leg: Leg) {}
    func show(_ alert: Alert) {}
    func finish() {}
}
