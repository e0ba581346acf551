import Foundation
import Testing

@testable import Benchmarking

#if canImport(FoundationXML)
    import FoundationXML
#endif

extension BenchmarkingTests {
    @Suite("Pictures of pages")
    struct PictureTests {
        private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pictures-\(UUID())")

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        private func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }

        private func read(_ name: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }

        // MARK: Plots

        private static func plot(_ quantity: String, _ benchmark: String = "dispatch/send") -> String {
            """
            {"plots": {"cost": {
                "title": "Cost", "parameter": "producers", "xLabel": "producers", "yLabel": "y", "quantity": "\(quantity)",
                "lines": [{
                    "label": "store", "benchmark": "\(benchmark)", "parameters": {"action": "a"}, "isEmphasized": true
                }]
            }}}
            """
        }

        /// Results of one and four producers, and some that are not of the line: of another action, with a further
        /// parameter, and refused.
        private static var report: Report {
            func send(_ producers: Int, _ time: Double, _ more: Parameters = [:]) -> BenchmarkResult {
                let parameters: Parameters = ["producers": .integer(producers), "action": "a"]
                return BenchmarkResult(example: "dispatch/send", parameters.merging(more) { $1 }, rounds: [time])
            }
            return Report(results: [
                send(4, 400), send(1, 100), send(2, 7, ["action": "b"]), send(2, 7, ["size": 1]),
                send(2, 7).refused("no"),
            ])
        }

        private static func file(_ definitions: String) throws -> PictureFile {
            try JSONFormat.decode(PictureFile.self, from: Data(definitions.utf8))
        }

        @Test(
            "A plot has a line for the results of a benchmark in the order of its parameter",
            arguments: [
                ("time", "<polyline points=\"141.8,304.8 468.2,87.2\"", ">200 ns</text>"),
                ("timePerUnit", "<polyline points=\"141.8,196.0 468.2,196.0\"", ">100 ns</text>"),
                ("rate", "<polyline points=\"141.8,87.2 468.2,304.8\"", ">5 M</text>"),
            ]
        )
        func plots(quantity: String, line: String, tick: String) throws {
            let files = try Self.file(Self.plot(quantity)).files(from: Self.report, in: folder.path)
            #expect(files.map(\.name) == ["cost.svg"])
            let picture = files[0].text
            #expect(XMLParser(data: Data(picture.utf8)).parse())
            #expect(picture.contains(line), "\(picture)")
            #expect(picture.contains(tick), "\(picture)")
            #expect(picture.contains(">store</text>"))
            #expect(picture.contains("Medians; commit abc1234-dirty, 2026-01-02, 2 cores, Example, 3 GHz"))
        }

        @Test("A plot of a benchmark without two results is an error")
        func missingResults() throws {
            let file = try Self.file(Self.plot("time", "dispatch/gone"))
            #expect(throws: ArgumentsError.self) { try file.files(from: Self.report, in: folder.path) }
        }

        @Test(
            "Names at the ends of lines are a row apart and not below the plot",
            arguments: [
                ([50, 100], [50, 100]), ([50, 50, 100], [50, 67, 100]), ([180, 190, 195], [166, 183, 200]),
            ]
        )
        func spread(places: [Double], expected: [Double]) {
            #expect(LinePlot.spread(places, to: 200) == expected)
        }

        // MARK: Diagrams

        private static let box = Diagram.Box(
            x: 10,
            y: 10,
            width: 100,
            height: 50,
            title: "Box & co",
            lines: ["text"],
            colour: .blue
        )

        private static func diagram(_ box: Diagram.Box = box, _ text: String = "label") -> Diagram {
            Diagram(
                title: "Diagram",
                width: 200,
                height: 100,
                boxes: [box],
                arrows: [Diagram.Arrow(points: [[110, 35], [190, 35]], isDashed: true)],
                texts: [Diagram.Text(text: text, x: 150, y: 30)]
            )
        }

        @Test("A diagram has boxes with centred texts, arrows with heads, and texts by themselves")
        func diagrams() throws {
            let picture = try Self.diagram().file
            #expect(XMLParser(data: Data(picture.utf8)).parse())
            for part in [
                "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
                "<rect x=\"10.0\" y=\"10.0\" width=\"100.0\" height=\"50.0\" rx=\"7\" fill=\"#dcecf7\"",
                "<text x=\"60.0\" y=\"31.0\" text-anchor=\"middle\" class=\"title\">Box &amp; co</text>",
                "<text x=\"60.0\" y=\"48.0\" text-anchor=\"middle\" >text</text>",
                "<polyline points=\"110.0,35.0 190.0,35.0\" fill=\"none\" stroke=\"#333\" stroke-width=\"1.6\" stroke-dasharray",
                "marker-end=\"url(#head)\"",
                "<text x=\"150.0\" y=\"30.0\" text-anchor=\"middle\" class=\"tick\">label</text>",
            ] {
                #expect(picture.contains(part), "\(part) in \(picture)")
            }
        }

        @Test("A text that does not fit, or a box beyond the edge, is an error")
        func tooLong() {
            var box = Self.box
            box.title = "much longer than the box"
            #expect(throws: ArgumentsError.self) { try Self.diagram(box).file }
            #expect(throws: ArgumentsError.self) { try Self.diagram(Self.box, "beyond the right edge").file }
            box = Self.box
            box.x = 150
            #expect(throws: ArgumentsError.self) { try Self.diagram(box).file }
        }

        // MARK: Terminals

        @Test("What a program has written to a terminal is drawn in its styles, each column at its place")
        func terminal() {
            let recording =
                "\u{1B}[1mName\u{1B}[0m  a & b   12\u{1B}[K\r\n\u{1B}[1;31mlate\u{1B}[0m\n\u{1B}[32m██\u{1B}[2m░\u{1B}[0m\n\n"
            let picture = TerminalPicture(recording: recording, title: "demo").file
            #expect(XMLParser(data: Data(picture.utf8)).parse())
            let shapes = picture.split(separator: "\n").dropFirst(5).dropLast()
                .map {
                    $0.replacing(" lengthAdjust=\"spacingAndGlyphs\"", with: "").replacing(
                        " text-anchor=\"start\"",
                        with: ""
                    )
                }
            #expect(
                shapes == [
                    "<text x=\"12.0\" y=\"55.0\" class=\"bold\" textLength=\"30.0\">Name</text>",
                    "<text x=\"57.0\" y=\"55.0\" class=\"plain\" textLength=\"37.5\">a &amp; b</text>",
                    "<text x=\"117.0\" y=\"55.0\" class=\"plain\" textLength=\"15.0\">12</text>",
                    "<text x=\"12.0\" y=\"72.0\" class=\"red\" textLength=\"30.0\">late</text>",
                    "<rect x=\"12.0\" y=\"78.0\" width=\"15.0\" height=\"12.0\" class=\"green\" opacity=\"1\"/>",
                    "<rect x=\"27.0\" y=\"78.0\" width=\"7.5\" height=\"12.0\" class=\"dim\" opacity=\"0.3\"/>",
                ]
            )
            // Three lines: empty ones at the end are left out.
            #expect(picture.contains("height=\"105.0\""))
        }

        // MARK: The command

        @Test("A picture is written beside its definition, and one that is not current fails a check")
        func command() async throws {
            try write("report.json", JSONFormat.text(of: Report.example))
            try write("board.ansi", "one\n")
            try write("pictures.json", #"{"screens": {"board": {"title": "demo", "recording": "board.ansi"}}}"#)
            func pictures(_ more: String...) async -> Int32 {
                let words = ["pictures", folder.path + "/pictures.json", "--from", folder.path + "/report.json"]
                return await BenchmarkCommand(suites: [], arguments: words + more).run()
            }
            #expect(await pictures("--check") == 2)
            #expect(throws: (any Error).self) { try read("board.svg") }
            #expect(await pictures() == 0)
            #expect(try read("board.svg").contains(">one</text>"))
            #expect(await pictures("--check") == 0)
            try write("board.ansi", "two\n")
            #expect(await pictures("--check") == 2)
            #expect(try read("board.svg").contains(">one</text>"))
            try FileManager.default.removeItem(at: folder.appendingPathComponent("board.ansi"))
            #expect(await pictures() == 64)
        }
    }
}
