/// Which pieces of work the children of a reducer have on hand, as a tree of their paths. A plain value.
struct EffectBranch {
    /// Those that belong here, and not to a child of this one.
    private(set) var numbers: Set<UInt64> = []
    private var numbersByID: [EffectID: Set<UInt64>] = [:]
    private var branches: [EffectStep: EffectBranch] = [:]

    var isEmpty: Bool { numbers.isEmpty && branches.isEmpty }

    mutating func insert(_ handle: EffectHandle, at steps: ArraySlice<EffectStep>) {
        guard let step = steps.first else {
            numbers.insert(handle.number)
            if let id = handle.id { numbersByID[id, default: []].insert(handle.number) }
            return
        }
        branches[step, default: EffectBranch()].insert(handle, at: steps.dropFirst())
    }

    mutating func remove(_ handle: EffectHandle, at steps: ArraySlice<EffectStep>) {
        guard let step = steps.first else {
            numbers.remove(handle.number)
            guard let id = handle.id else { return }
            numbersByID[id]?.remove(handle.number)
            if numbersByID[id]?.isEmpty == true { numbersByID[id] = nil }
            return
        }
        branches[step]?.remove(handle, at: steps.dropFirst())
        if branches[step]?.isEmpty == true { branches[step] = nil }
    }

    /// The work with this identity of the child at a path.
    func numbers(of id: EffectID, at path: EffectPath) -> Set<UInt64> { branch(at: path)?.numbersByID[id] ?? [] }

    /// The work that a cancellation covers.
    func numbers(coveredBy cancellation: EffectCancellation) -> [UInt64] {
        switch cancellation {
        case .all(let path):
            return branch(at: path)?.allNumbers ?? []
        case .elements(let path, let isPresent):
            let gone = branch(at: path)?.branches.filter { step, _ in
                if case .element(let id) = step { !isPresent(id) } else { false }
            }
            return gone?.values.flatMap(\.allNumbers) ?? []
        case .outlived(let gone):
            return numbers(coveredBy: gone)
        }
    }

    private func branch(at path: EffectPath) -> EffectBranch? {
        path.steps.reduce(Optional(self)) { $0?.branches[$1] }
    }

    private var allNumbers: [UInt64] { numbers + branches.values.flatMap(\.allNumbers) }
}
