extension TreeDictionary where Value: Equatable {
    /// What has to be changed in an older version to get this one.
    ///
    /// Versions that come from each other share all but a few nodes, which are skipped: the time is in proportion to
    /// the number of changes between them, times log *n*. Dictionaries that share nothing are compared in O(*n*).
    @inlinable
    public func difference(from older: TreeDictionary) -> TreeDictionaryDifference<Key, Value> {
        var difference = TreeDictionaryDifference<Key, Value>()
        forEachDifference(from: older) { key, oldValue, newValue in
            switch (oldValue, newValue) {
            case (let oldValue?, let newValue?):
                difference.updated.append(.init(key: key, oldValue: oldValue, newValue: newValue))
            case (nil, let value?):
                difference.inserted.append(.init(key: key, value: value))
            case (let value?, nil):
                difference.removed.append(.init(key: key, value: value))
            case (nil, nil):
                break
            }
        }
        return difference
    }

    /// Calls `body` with each key that was inserted, removed or got another value since an older version, without
    /// making a ``TreeDictionaryDifference`` of them. The time is that of ``difference(from:)``.
    ///
    /// - Parameters:
    ///   - older: the version to compare with; any other dictionary will do.
    ///   - body: gets the key, its value in the older version, or nil if it was not there, and its value in this one,
    ///     or nil if it is gone. The order is not specified.
    @inlinable
    public func forEachDifference(
        from older: TreeDictionary,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) throws -> Void
    ) rethrows {
        try withExtendedLifetime((root, older.root)) {
            switch (older.root, root) {
            case (let old?, let new?):
                try NodeView.forEachDifference(NodeView(old), NodeView(new), body)
            case (nil, let new?):
                try NodeView(new).forEachEntry { try body($0.pointee.key, nil, $0.pointee.value) }
            case (let old?, nil):
                try NodeView(old).forEachEntry { try body($0.pointee.key, $0.pointee.value, nil) }
            case (nil, nil):
                break
            }
        }
    }
}

extension TreeDictionary {
    /// Calls `body` with each key that has been removed since an older version, whatever has become of the values.
    ///
    /// Versions that come from each other share all but a few nodes, which are skipped: the time is in proportion to
    /// the number of changes between them, times log *n*.
    ///
    /// - Parameters:
    ///   - older: the version to compare with; any other dictionary will do.
    ///   - body: gets a key that the older version has, and this one has not. The order is not specified.
    @inlinable
    public func forEachRemovedKey(since older: TreeDictionary, _ body: (_ key: Key) throws -> Void) rethrows {
        try withExtendedLifetime((root, older.root)) {
            guard let old = older.root else { return }
            if let new = root {
                try NodeView.forEachRemovedKey(NodeView(old), NodeView(new), body)
            } else {
                try NodeView(old).forEachEntry { try body($0.pointee.key) }
            }
        }
    }
}
