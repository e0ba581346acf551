import TreeCollections

/// A keyed array against an array with linear search.
enum KeyedArrayTarget {
    struct Item: Identifiable, Equatable, Codable {
        let id: Int
        var value: Int
    }

    static func run(_ bytes: inout Bytes) {
        var array = KeyedArray<Item>()
        var model: [Item] = []
        var versions: [(array: KeyedArray<Item>, model: [Item])] = []
        while let operation = bytes.next() {
            let item = Item(id: bytes.below(24), value: Int(operation / 16))
            switch operation % 16 {
            case 14:
                versions.append((array, model))
                if versions.count > 4 { versions.remove(at: bytes.below(4)) }
            case 15 where !versions.isEmpty:
                (array, model) = versions[bytes.below(versions.count)]
            case 10...:
                arrange(&array, &model, Int(operation % 16), &bytes)
            default:
                change(&array, &model, Int(operation % 16), item, &bytes)
            }
            check(array, model)
            for version in versions where version.array.lineage == array.lineage {
                demand(version.model.allSatisfy { array.contains(id: $0.id) }, "An element went, the lineage stayed.")
            }
        }
        for version in versions { check(version.array, version.model) }
    }

    private static func check(_ array: KeyedArray<Item>, _ model: [Item]) {
        demand(array.elements == model, "The elements are \(array), not \(model).")
        for id in 0..<24 {
            demand(array.index(id: id) == model.firstIndex { $0.id == id }, "The position of \(id) is wrong.")
        }
    }

    /// Changes one element.
    private static func change(
        _ array: inout KeyedArray<Item>,
        _ model: inout [Item],
        _ operation: Int,
        _ item: Item,
        _ bytes: inout Bytes
    ) {
        let place = model.firstIndex { $0.id == item.id }
        switch operation {
        case 0, 1:
            demand(array.append(item) == (place == nil, place ?? model.count), "append")
            if place == nil { model.append(item) }
        case 2:
            let position = bytes.below(model.count + 1)
            demand(array.insert(item, at: position) == (place == nil, place ?? position), "insert")
            if place == nil { model.insert(item, at: position) }
        case 3:
            demand(array.updateOrAppend(item) == place.map { model[$0] }, "updateOrAppend")
            if let place { model[place] = item } else { model.append(item) }
        case 4:
            demand(array.remove(id: item.id) == place.map { model.remove(at: $0) }, "remove(id:)")
        case 5, 6:
            // In place, through the accessor that removes the element meanwhile.
            change(&array[id: item.id], item)
            var element = place.map { model[$0] }
            change(&element, item)
            switch (place, element) {
            case (let place?, let element?): model[place] = element
            case (let place?, nil): model.remove(at: place)
            case (nil, let element?): model.append(element)
            case (nil, nil): break
            }
        case 7:
            demand(array.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "popFirst")
        case 8:
            demand(array.popLast() == model.popLast(), "popLast")
        default:
            array.modify(id: item.id) { $0.value &+= 1 }
            if let place { model[place].value &+= 1 }
        }
    }

    private static func change(_ element: inout Item?, _ item: Item) {
        element = item.value.isMultiple(of: 3) ? nil : item
    }

    /// Changes the order, or removes several.
    private static func arrange(
        _ array: inout KeyedArray<Item>,
        _ model: inout [Item],
        _ operation: Int,
        _ bytes: inout Bytes
    ) {
        let (first, second) = (bytes.below(model.count), bytes.below(model.count))
        switch operation {
        case 10:
            array.removeAll { $0.id % (first + 2) == 0 }
            model.removeAll { $0.id % (first + 2) == 0 }
        case 11 where !model.isEmpty:
            array.move(from: first, to: second)
            model.insert(model.remove(at: first), at: second)
        case 12 where !model.isEmpty:
            array.swapAt(first, second)
            model.swapAt(first, second)
        case 13 where second.isMultiple(of: 2):
            array.sort { $0.id < $1.id }
            model.sort { $0.id < $1.id }
        default:
            array.reverse()
            model.reverse()
        }
    }
}
