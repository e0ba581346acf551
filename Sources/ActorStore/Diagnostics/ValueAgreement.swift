/// Compares a value with two others at once, part by part.
package struct ValueAgreement {
    private let comparison = ValueComparison(maximumElements: .max)
    private let context = ValueContext(maximumElements: .max)

    package init() {}

    /// Returns whether each part of a value equals that part of at least one of two others.
    ///
    /// Parts are the properties of structures, the values of a case, the entries of dictionaries, the members of sets,
    /// and the elements of collections of equal length. Objects have no parts. Neither have types with their own
    /// description, except the outermost one. The parts of a type with a custom mirror are the mirror's children. If
    /// all of them equal those of one of the others, but the value does not equal it, the value differs in something
    /// that the mirror does not show, and the result is `false`.
    package func holds<Value>(of value: Value, with first: Value, and second: Value) -> Bool {
        origins(of: value, first, second, isOutermost: true) != nil
    }

    /// The values that a value or a part equals.
    private struct Origins: OptionSet {
        let rawValue: Int

        static let first = Origins(rawValue: 1)
        static let second = Origins(rawValue: 2)
        static let both: Origins = [.first, .second]
    }

    /// - Returns: The values that all parts equal; empty if some parts equal one and some the other; nil if a part
    ///   equals neither.
    private func origins(of value: Any, _ first: Any, _ second: Any, isOutermost: Bool = false) -> Origins? {
        var same: Origins = []
        if comparison.areSame(value, first) { same.insert(.first) }
        if comparison.areSame(value, second) { same.insert(.second) }
        if !same.isEmpty { return same }
        if type(of: ValueShape.unwrapped(value)) is any AnyObject.Type { return nil }
        let shapes = [value, first, second].map { ValueShape(of: $0, isDescribed: !isOutermost, in: context) }
        guard shapes.allSatisfy({ $0.isAlike(shapes[0]) }) else { return nil }
        let members = shapes.map(\.members)
        let parts =
            switch shapes[0].kind {
            case .record, .list: originsInOrder(of: members[0], members[1], members[2])
            case .table: originsByKey(of: members, key: \.key)
            case .set: originsByKey(of: members, key: \.value)
            }
        guard let parts else { return nil }
        // All parts equal those of one of the others, but the value does not.
        guard parts.reduce(Origins.both, { $0.intersection($1) }).isEmpty else { return nil }
        return []
    }

    /// - Returns: The origins of each member; nil if a member has no origin.
    private func originsInOrder(
        of members: [ValueShape.Member],
        _ first: [ValueShape.Member],
        _ second: [ValueShape.Member]
    ) -> [Origins]? {
        guard members.count == first.count, members.count == second.count else { return nil }
        var found: [Origins] = []
        for index in members.indices {
            guard let origins = origins(of: members[index].value, first[index].value, second[index].value) else {
                return nil
            }
            found.append(origins)
        }
        return found
    }

    /// - Parameter members: The members of the value and of the two others.
    /// - Returns: The origins of the presence or absence of each key; nil if a key has no origin.
    private func originsByKey(
        of members: [[ValueShape.Member]],
        key: (ValueShape.Member) -> Any?
    ) -> [Origins]? {
        var tables: [[AnyHashable: Any]] = []
        for members in members {
            var table: [AnyHashable: Any] = [:]
            for member in members {
                guard let key = key(member) as? any Hashable else { return nil }
                table[AnyHashable(key)] = member.value
            }
            // Keys that only the type's mirror shows may not be unique.
            guard table.count == members.count else { return nil }
            tables.append(table)
        }
        var found: [Origins] = []
        for key in Set(tables.flatMap(\.keys)) {
            let origins: Origins? =
                switch (tables[0][key], tables[1][key], tables[2][key]) {
                case (nil, nil, nil): .both
                case (nil, nil, _?): .first
                case (nil, _?, nil): .second
                case (let value?, let first?, let second?): self.origins(of: value, first, second)
                case (let value?, let first?, nil): comparison.areSame(value, first) ? .first : nil
                case (let value?, nil, let second?): comparison.areSame(value, second) ? .second : nil
                case (_?, nil, nil), (nil, _?, _?): nil
                }
            guard let origins else { return nil }
            found.append(origins)
        }
        return found
    }
}
