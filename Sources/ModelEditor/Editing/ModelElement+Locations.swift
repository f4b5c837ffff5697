import ModelTools

extension ModelElement {
    /// The element at a position: the index of a child, of a child of that, and so on.
    ///
    /// - Throws: `EditError` if there is none.
    func element(at path: [Int]) throws -> ModelElement {
        var element = self
        for index in path {
            guard element.children.indices.contains(index) else { throw Self.missing }
            element = element.children[index]
        }
        return element
    }

    /// Changes the element at a position.
    mutating func change<Result>(
        at path: some Collection<Int>, _ body: (inout ModelElement) throws -> Result
    ) throws -> Result {
        guard let index = path.first else { return try body(&self) }
        guard children.indices.contains(index) else { throw Self.missing }
        return try children[index].change(at: path.dropFirst(), body)
    }

    private static var missing: EditError {
        EditError("This was removed from the model, or changed elsewhere.")
    }

    /// The kind of the element, if it is one that is edited.
    var kind: ElementKind? { ElementKind(rawValue: name) }

    /// Adds a child where Xcode would have it: after what comes before its kind, and by its name.
    ///
    /// - Returns: its index.
    @discardableResult
    mutating func location(_ child: ModelElement) -> Int {
        let order = ElementKind.order(in: name)
        let rank = order.firstIndex(of: child.name) ?? order.count
        var index = 0
        for (position, other) in children.enumerated() {
            let otherRank = order.firstIndex(of: other.name) ?? order.count
            let isBefore: Bool
            if other.name == child.name {
                let isSorted = ElementKind(rawValue: child.name)?.isSorted ?? false
                isBefore = !isSorted || !Self.precedes(child["name"] ?? "", other["name"] ?? "")
            } else {
                isBefore = otherRank < rank
            }
            if isBefore { index = position + 1 }
        }
        children.insert(child, at: index)
        return index
    }

    /// The order of the model editor: by name without regard to case.
    static func precedes(_ a: String, _ b: String) -> Bool {
        let (first, second) = (a.lowercased(), b.lowercased())
        return first == second ? a.utf8Precedes(b) : first.utf8Precedes(second)
    }

    /// Gives a setting a value, a new one at the position that Xcode has for it; `nil` takes it out.
    mutating func setInOrder(_ setting: String, _ value: String?) {
        guard let value, self[setting] == nil else {
            self[setting] = value
            return
        }
        let order = ["name"] + (kind?.settings.map(\.name) ?? [])
        let rank = order.firstIndex(of: setting) ?? order.count
        var index = 0
        for (position, attribute) in attributes.enumerated()
        where order.firstIndex(of: attribute.name).map({ $0 < rank }) ?? false {
            index = position + 1
        }
        attributes.insert(Attribute(setting, value), at: index)
    }
}
