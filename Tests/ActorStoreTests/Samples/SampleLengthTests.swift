import Foundation
import Testing

/// Compares the samples in this folder with those of the founding documents: a sample may not have more lines than its
/// original.
///
/// A part between the comments `// sample: NAME` and `// end` belongs to a sample; several parts of one name are one
/// sample. Lines without a letter or a digit, such as those of a lone brace, do not count, nor do comments. The
/// originals were counted in the same way. So comments that stand for code of the reader's own, such as `// ...`, do
/// not count, although what stands in their place here does.
@Suite("Lengths of samples", .timeLimit(.minutes(10)))
struct SampleLengthTests {
    /// The lines of each original, in the order of the documents.
    private static let originals: KeyValuePairs = [
        // UDF's page about its store.
        "UDF, Example": 24,
        "UDF, State Observation": 4,
        "UDF, Action Observation": 4,
        "UDF, Scoped Stores": 6,
        "UDF, Dynamic Reducers": 6,

        // Puredux's article about trees of stores. Its diagram of the tree is no code; the test of the tree has the
        // tree's user interface.
        "Puredux, Root Store": 4,
        "Puredux, Feature One": 4,
        "Puredux, Feature Two": 10,

        // Katana's reference of its store has declarations only. A declaration is compared with its use.
        "Katana, Store": 1,
        "Katana, DependenciesInitializer": 1,
        "Katana, isReady": 1,
        "Katana, dependencies": 1,
        "Katana, init()": 1,
        "Katana, init(interceptors:)": 1,
        "Katana, init(interceptors:stateInitializer:configuration:)": 4,
        "Katana, init(interceptors:stateInitializer:dependenciesInitializer:configuration:)": 5,
        "Katana, addAnyListener": 1,
        "Katana, addListener": 1,
        "Katana, dispatch(_: ReturningSideEffect)": 2,
        "Katana, dispatch(_: AnySideEffect)": 2,
        "Katana, dispatch(_: AnyStateUpdater)": 2,
        "Katana, anyDispatch": 2,
        "Katana, Configuration": 1,

        // The notes about The Composable Architecture cut most samples off after the first line. `State` to `Reducer`
        // were counted in the counter of that library's case studies, whose first lines these are, and so was
        // `WithViewStore`, as a row of two buttons and a text without modifiers; `scope` in the library's
        // documentation. The pullback, which the notes have on one line, was counted as that documentation breaks it.
        // Of `ViewStore` the notes have a declaration in the text; of `combine`, `optional` and `IfLetStore`, no code.
        "TCA, State": 2,
        "TCA, Action": 3,
        "TCA, Environment": 1,
        "TCA, Reducer": 8,
        "TCA, pullback": 9,
        "TCA, Store": 1,
        "TCA, WithViewStore": 6,
        "TCA, ViewStore": 1,
        "TCA, binding": 1,
        "TCA, scope": 10,
    ]

    private static let files = [
        "UDFSampleTests.swift", "PureduxSampleTests.swift", "KatanaSampleTests.swift",
        "ComposableArchitectureSampleTests.swift",
    ]

    @Test("The samples are those of the founding documents, in their order, and none is longer than its original")
    func lengths() throws {
        let samples = try Self.files.flatMap { name in
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
            return try Sample.samples(in: String(contentsOf: file, encoding: .utf8), of: name)
        }
        let originals = Dictionary(uniqueKeysWithValues: Self.originals.map { ($0.key, $0.value) })
        #expect(samples.map(\.name) == Self.originals.map(\.key))
        for sample in samples {
            let original = originals[sample.name] ?? 0
            #expect(
                sample.lines.count <= original,
                "“\(sample.name)” has \(sample.lines.count) lines, its original \(original):\n\(sample.text)"
            )
            #expect(!sample.lines.isEmpty, "“\(sample.name)” has no code.")
        }
    }

    @Test("Comments, blank lines and lone braces do not count as lines of a sample, and its parts are added up")
    func counting() throws {
        let source = """
            // sample: A
            let a = 1

            f(
                1
            )
            // more
            }
            // end
            let notCounted = 1
            // sample: B
            let b = 2
            // end
            // sample: A
            })
            let a = 3  // three
            // end
            """
        let samples = try Sample.samples(in: source, of: "a test")
        #expect(samples.map(\.name) == ["A", "B"])
        #expect(samples.map(\.lines.count) == [4, 1])
    }

    @Test("An unterminated or twice terminated sample is an error", arguments: ["// sample: A\nlet a = 1", "// end"])
    func unbalanced(source: String) {
        #expect(throws: Sample.Unbalanced.self) { try Sample.samples(in: source, of: "a test") }
    }
}

/// The marked code of one name.
private struct Sample {
    struct Unbalanced: Error, CustomStringConvertible {
        let file: String
        let line: Int
        var description: String { "“// sample:” and “// end” do not match in \(file), line \(line)." }
    }

    let name: String
    /// The lines that count.
    var lines: [String] = []

    var text: String { lines.joined(separator: "\n") }

    /// The samples in a source file, each with all its parts, in the order of their first parts.
    static func samples(in source: String, of file: String) throws -> [Sample] {
        var samples: [Sample] = []
        var current: Int?
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("// sample: ") {
                guard current == nil else { throw Unbalanced(file: file, line: number) }
                let name = String(text.dropFirst("// sample: ".count))
                current = samples.firstIndex { $0.name == name } ?? samples.count
                if current == samples.count { samples.append(Sample(name: name)) }
            } else if text == "// end" {
                guard current != nil else { throw Unbalanced(file: file, line: number) }
                current = nil
            } else if let current, isCounted(text) {
                samples[current].lines.append(text)
            }
        }
        guard current == nil else { throw Unbalanced(file: file, line: lines.count) }
        return samples
    }

    private static func isCounted(_ line: String) -> Bool {
        !line.hasPrefix("//") && line.contains { $0.isLetter || $0.isNumber }
    }
}
