import Foundation

/// Where a value lies on an axis, and which values are marked there.
struct Axis {
    let isLogarithmic: Bool
    let lower: Double
    let upper: Double

    /// An axis that holds all values. One that begins at zero if the values are close together, and a logarithmic one if
    /// they are not.
    init(linearOrLogarithmic values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let spread = (positive.max() ?? 1) / (positive.min() ?? 1)
        if spread > 30 {
            self.init(logarithmic: values)
        } else {
            self.init(isLogarithmic: false, lower: 0, upper: max((positive.max() ?? 1) * 1.05, .leastNormalMagnitude))
        }
    }

    /// A logarithmic axis that begins and ends at half a step beside the values.
    init(logarithmic values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        self.init(isLogarithmic: true, lower: (positive.min() ?? 1) / 1.3, upper: (positive.max() ?? 10) * 1.3)
    }

    private init(isLogarithmic: Bool, lower: Double, upper: Double) {
        self.isLogarithmic = isLogarithmic
        self.lower = lower
        self.upper = upper
    }

    /// From 0 at the lower end to 1 at the upper one.
    func place(of value: Double) -> Double {
        guard isLogarithmic else { return (value - lower) / (upper - lower) }
        return (log(max(value, lower)) - log(lower)) / (log(upper) - log(lower))
    }

    /// Round values in the range: on a logarithmic axis powers of ten, and 2 and 5 times those if there are few.
    var ticks: [Double] {
        guard isLogarithmic else {
            let rough = upper / 5
            let power = pow(10, floor(log10(rough)))
            let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? rough
            return stride(from: 0, through: upper, by: step).map { $0 }
        }
        let powers = Int(floor(log10(lower)))...Int(ceil(log10(upper)))
        let coarse = powers.map { pow(10, Double($0)) }.filter { $0 >= lower && $0 <= upper }
        guard coarse.count < 3 else { return coarse }
        return powers.flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
            .filter { $0 >= lower && $0 <= upper }
    }
}
