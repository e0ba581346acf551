import ActorStore
import ActorStoreComposition
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("In-place changes by composed reducers", .timeLimit(.minutes(10)))
struct InPlaceTests {
    /// A file whose copies are detected.
    struct File: Identifiable, Sendable {
        let id: Int
        var lines = Array(0..<100)
    }

    enum Action: Sendable { case file(id: Int, action: Int), touch }

    struct Folder<Files: ReducibleTable<Int, File> & Sendable>: Sendable {
        var files: Files
        var count = 0
    }

    /// Reduces actions of one file, and returns the number of addresses of its lines.
    private func addresses<Files: ReducibleTable<Int, File> & Sendable>(_ files: Files) -> Int
    where Files.Members: Sendable {
        let seen = Collector<Int>()
        let reducer = Reduce<Folder<Files>, Action> { folder, _ in folder.count += 1 }
            .forEach(\.files, action: CasePath(Action.file)) {
                Reduce { file, line in
                    file.lines[line] = -1
                    seen.append(file.lines.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
                    return .none
                }
            }
        var folder = Folder(files: files)
        for line in 0..<5 {
            _ = reducer.reduce(into: &folder, action: .file(id: 3, action: line))
            _ = reducer.reduce(into: &folder, action: .touch)
        }
        #expect(folder.count == 10 && seen.elements.count == 5)
        return Set(seen.elements).count
    }

    @Test("An entry of any table is changed in place, without a copy")
    func entries() {
        let files = (0..<100).map { File(id: $0) }
        #expect(addresses(TreeDictionary(uniqueKeysWithValues: files.map { ($0.id, File(id: $0.id)) })) == 1)
        #expect(addresses(Dictionary(uniqueKeysWithValues: files.map { ($0.id, File(id: $0.id)) })) == 1)
        #expect(addresses(KeyedArray((0..<100).map { File(id: $0) })) == 1)
        #expect(addresses((0..<100).map { File(id: $0) }) == 1)
    }

    @Test("A child presented by a plain property is changed in place")
    func presented() {
        struct Desk: Sendable { var file = Presented(wrappedValue: Optional(File(id: 1))) }
        enum Action: Sendable { case file(PresentationAction<Int>) }
        let seen = Collector<Int>()
        let reducer = EmptyReducer<Desk, Action>()
            .ifPresented(\.file, action: CasePath(Action.file)) {
                Reduce<File, Int> { file, line in
                    file.lines[line] = -1
                    seen.append(file.lines.withUnsafeBytes { Int(bitPattern: $0.baseAddress) })
                    return .none
                }
            }
        var desk = Desk()
        for line in 0..<5 { _ = reducer.reduce(into: &desk, action: .file(.presented(line))) }
        #expect(seen.elements.count == 5 && Set(seen.elements).count == 1)
    }

    @Test("A table is not copied when an entry changes")
    func tables() {
        func address(_ files: [File]) -> UnsafeRawPointer? { files.withUnsafeBytes { $0.baseAddress } }
        let reducer = Reduce<Folder<[File]>, Action> { folder, _ in folder.count += 1 }
            .forEach(\.files, action: CasePath(Action.file)) { Reduce { file, line in file.lines[line] = -1 } }
        var folder = Folder(files: (0..<100).map { File(id: $0) })
        let before = address(folder.files)
        for id in 0..<100 { _ = reducer.reduce(into: &folder, action: .file(id: id, action: 7)) }
        #expect(address(folder.files) == before)
        #expect(folder.files.allSatisfy { $0.lines[7] == -1 })
    }

    @Test("A parent that appends to a KeyedArray, or changes an element of it, copies nothing")
    func keyedArrays() {
        func address(_ files: KeyedArray<File>) -> UnsafeRawPointer? {
            files.elements.withUnsafeBytes { $0.baseAddress }
        }
        let reducer = Reduce<Folder<KeyedArray<File>>, Action> { folder, _ in
            folder.count += 1
            folder.files.append(File(id: 1_000 + folder.count))
            folder.files[id: 5]?.lines[0] += 1
            return .none
        }
        .forEach(\.files, action: CasePath(Action.file)) { Reduce { _, _ in } }
        var files = KeyedArray((0..<100).map { File(id: $0) })
        files.reserveCapacity(200)
        var folder = Folder(files: files)
        files = []
        let before = address(folder.files)
        for _ in 0..<50 { _ = reducer.reduce(into: &folder, action: .touch) }
        #expect(folder.files.count == 150 && folder.files[id: 5]?.lines[0] == 50)
        #expect(address(folder.files) == before)
    }

    /// Whether a parent that changes an entry, beside entries with these effects, copies the table.
    private func isCopied<Files: ReducibleTable<Int, File> & Sendable>(
        _ files: Files,
        _ effects: ChildEffects
    ) -> Bool where Files.Members: Sendable {
        let copies = Collector<Bool>()
        let reducer = Reduce<Folder<Files>, Action> { folder, _ in
            _ = folder.files.modifyEntry(3) { file in
                let before = file.lines.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
                file.lines[0] += 1
                copies.append(file.lines.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } != before)
            }
            return .none
        }
        .forEach(\.files, action: CasePath(Action.file), effects: effects) { Reduce { _, _ in } }
        var folder = Folder(files: files)
        for _ in 0..<5 { _ = reducer.reduce(into: &folder, action: .touch) }
        #expect(copies.elements.count == 5)
        // The first change copies because this function has the table as well.
        return copies.elements.dropFirst().contains(true)
    }

    @Test("A parent that changes tables whose entries' effects outlive them copies nothing")
    func outliving() {
        func files() -> [File] { (0..<100).map { File(id: $0) } }
        #expect(!isCopied(Dictionary(uniqueKeysWithValues: files().map { ($0.id, $0) }), .outliveChild))
        #expect(!isCopied(TreeDictionary(uniqueKeysWithValues: files().map { ($0.id, $0) }), .outliveChild))
        #expect(!isCopied(files(), .outliveChild))
        // Otherwise they are retained, to detect departures, so that a copy would show.
        #expect(isCopied(Dictionary(uniqueKeysWithValues: files().map { ($0.id, $0) }), .endWithChild))
    }
}
