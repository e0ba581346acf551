/// Shows nothing, for `--json`.
struct SilentDisplay: BoardDisplay {
    func show(_ figures: BoardFigures) {}
    func show(_ figures: AirportFigures, of airport: AirportCode) {}
    func show(meanDelay: Double?, of carrier: CarrierCode) {}
    func show(_ alert: Alert) {}
    func finish() {}
}
