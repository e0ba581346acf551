/// Compares a value with two others at once, part by part.
package struct ValueAgreement {
    private let comparison = ValueComparison(maximumElements: .max)
    private let context = ValueContext(maximumElements: .max)

    package init() {}

    /// Whether each part of a value is that of one of two others, or of both.
    ///
    /// Parts are the properties of structures, the values of a case, the entries of dictionaries, the members of sets, and the
    /// elements of collections with the same number of elements. A type with a description of its own has no parts, the
    /// outermost one excepted, and neither has an object.
    package func holds<Value>(of value: Value, with first: Value, and second: Value) -> Bool {
        agrees(value, first, second, isOutermost: true)
    }

    private func agrees(_ value: Any, _ first: Any, _ second: Any, isOutermost: Bool = false) -> Bool {
        if comparison.areSame(value, first) || comparison.areSame(value, second) { return true }
        if type(of: ValueShape.unwrapped(value)) is any AnyObject.Type { return false }
        let shapes = [value, first, second].map { ValueShape(of: $0, isDescribed: !isOutermost, in: context) }
        guard shapes.allSatisfy({ $0.isAlike(shapes[0]) }) else { return false }
        switch shapes[0].kind {
        case .record, .list: return agreeInOrder(shapes[0].members, shapes[1].members, shapes[2].members)
        case .table: return agreeByKey(shapes.map(\.members), key: \.key)
        case .set: return agreeByKey(shapes.map(\.members), key: \.value)
        }
    }

    private func agreeInOrder(
        _ members: [ValueShape.Member],
        _ first: [ValueShape.Member],
        _ second: [ValueShape.Member]
    ) -> Bool {
        guard !members.isEmpty, members.count == first.count, members.count == second.count else { return false }
        return members.indices.allSatisfy { agrees(members[$0].value, first[$0].value, second[$0].value) }
    }

    /// - Parameter members: Those of the value, and of the two others.
    private func agreeByKey(_ members: [[ValueShape.Member]], key: (ValueShape.Member) -> Any?) -> Bool {
        var tables: [[AnyHashable: Any]] = []
        for members in members {
            var table: [AnyHashable: Any] = [:]
            for member in members {
                guard let key = key(member) as? any Hashable else { return false }
                table[AnyHashable(key)] = member.value
            }
            // Keys that only the type's mirror shows can be there several times.
            guard table.count == members.count else { return false }
            tables.append(table)
        }
        return Set(tables.flatMap(\.keys)).allSatisfy { key in
            switch (tables[0][key], tables[1][key], tables[2][key]) {
            case (nil, nil, _), (nil, _, nil): true
            case (let value?, let first?, let second?): agrees(value, first, second)
            case (let value?, let other?, nil), (let value?, nil, let other?): comparison.areSame(value, other)
            case (nil, _?, _?), (_?, nil, nil): false
            }
        }
    }
}
