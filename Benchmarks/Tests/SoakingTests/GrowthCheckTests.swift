import Soaking
import Testing

@Suite("Memory checks of a soak", .timeLimit(.minutes(10)))
struct GrowthCheckTests {
    /// Quiescent points of a number of windows with a million actions each.
    private func check(windows: Int, blocks: (_ window: Int) -> Int) -> GrowthCheck {
        var check = GrowthCheck.blocks
        for window in 1...windows {
            check.add(GrowthCheck.Point(actions: window * 1_000_000, amount: blocks(window)))
        }
        return check
    }

    @Test("A leak of one block per thousand actions is detected in a minute")
    func leak() {
        let check = check(windows: 6) { 20_000 + $0 * 1_000 }
        #expect(check.flaw?.contains("keeps growing, by 1.0 blocks") == true)
    }

    @Test("A leak is detected behind noise as large as the leak in a window")
    func noise() {
        var generator = SeededGenerator(seed: 3)
        let noise = (0...12).map { _ in generator.below(2_000) }
        #expect(check(windows: 12) { 20_000 + $0 * 2_000 + noise[$0] }.flaw != nil)
        #expect(check(windows: 12) { 20_000 + noise[$0] }.flaw == nil)
    }

    @Test("A leak of a block per five thousand actions is detected in two minutes")
    func smallLeak() {
        #expect(check(windows: 14) { 20_000 + $0 * 250 }.flaw != nil)
    }

    @Test("Caches that fill are not a leak, at the beginning or later, nor is memory that is freed")
    func caches() {
        #expect(check(windows: 12) { $0 < 6 ? 2_800 : 3_800 }.flaw == nil)
        #expect(check(windows: 12) { $0 <= 2 ? $0 * 50_000 : 100_000 }.flaw == nil)
        #expect(check(windows: 12) { 500_000 - $0 * 10_000 }.flaw == nil)
        #expect(check(windows: 12) { 20_000 + $0 * 50 }.flaw == nil)
    }

    @Test("A leak that begins late is detected")
    func late() {
        #expect(check(windows: 60) { 20_000 + max(0, $0 - 50) * 2_000 }.flaw != nil)
    }

    @Test("A leak too slow for a few minutes is detected in an hour")
    func slowLeak() {
        #expect(check(windows: 12) { 20_000 + $0 * 50 }.flaw == nil)
        #expect(check(windows: 360) { 20_000 + $0 * 50 }.flaw != nil)
    }

    @Test("A check of few points fails, and reports that the growth of memory is unknown")
    func fewPoints() {
        let few = check(windows: GrowthCheck.warmUp + GrowthCheck.fewest - 1) { _ in 100_000 }
        #expect(few.flaw?.contains("is not known") == true)
        #expect(few.growthPerThousandActions == nil)
        #expect(check(windows: GrowthCheck.warmUp + GrowthCheck.fewest) { _ in 100_000 }.flaw == nil)
    }

    @Test("Resident memory that rises by megabytes a minute grows, and pages kept by an allocator do not")
    func residentMemory() {
        var growing = GrowthCheck.residentMemory
        var steady = GrowthCheck.residentMemory
        for window in 1...12 {
            growing.add(GrowthCheck.Point(actions: window * 1_000_000, amount: 27_000 + window * 1_500))
            steady.add(GrowthCheck.Point(actions: window * 1_000_000, amount: 27_000 + window * 170))
        }
        #expect(growing.flaw?.contains("KiB resident") == true)
        #expect(steady.flaw == nil)
    }

    @Test("The windows of a soak are short enough to be numerous")
    func windows() throws {
        for minutes in [0.5, 1, 5, 60] {
            let window = try SoakArguments(["--minutes", "\(minutes)"]).windowLength
            let windows = .seconds(60 * minutes) / window
            #expect(windows >= Double(GrowthCheck.warmUp + GrowthCheck.fewest + 2))
            #expect(window <= .seconds(10))
        }
    }

    @Test("The command line is parsed, and its errors are reported")
    func arguments() throws {
        let arguments = try SoakArguments(["--minutes", "2.5", "--seed", "7"])
        #expect(arguments.minutes == 2.5 && arguments.seed == 7 && !arguments.showsHelp)
        #expect(try SoakArguments(["-h"]).showsHelp)
        for words in [["--minutes"], ["--minutes", "0"], ["--minutes", "nan"], ["--seed", "-1"], ["x"]] {
            #expect(throws: SoakArgumentsError.self) { try SoakArguments(words) }
        }
    }
}
