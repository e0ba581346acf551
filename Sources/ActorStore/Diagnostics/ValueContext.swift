/// What is known of a value before it is described: where it stands, what is in it, and how much of it is written.
struct ValueContext {
    /// How many elements of each collection are written.
    let maximumElements: Int
    /// With how many characters a line may be broken off, if the value has members.
    var maximumLength = Int.max
    /// The objects that the value is part of, so that a cycle ends.
    private(set) var ancestors: [ObjectIdentifier] = []
    /// What is known of redactable values in the value; nil if nothing has been found out.
    private(set) var contents: RedactableContents?

    init(maximumElements: Int) {
        self.maximumElements = max(0, maximumElements)
    }

    /// The context of what is in a value.
    ///
    /// - Returns: nil if the value is one of the objects that it is part of.
    func inside(_ value: Any) -> ValueContext? {
        let value = ValueShape.unwrapped(value)
        guard type(of: value) is any AnyObject.Type else { return self }
        let identity = ObjectIdentifier(value as AnyObject)
        guard !ancestors.contains(identity) else { return nil }
        var context = self
        context.ancestors.append(identity)
        return context
    }

    /// The same place, for a value of which this much is known.
    func with(_ contents: RedactableContents?) -> ValueContext {
        var context = self
        context.contents = contents
        return context
    }
}
