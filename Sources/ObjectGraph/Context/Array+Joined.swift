extension [NSManagedObject] {
    /// The objects of several lists, one list after the other. The only list that has objects is not copied: most events
    /// and saves change objects in one way only. O(n) for others.
    static func joined(_ lists: Self...) -> Self {
        var joined: Self = []
        for list in lists { joined.add(list) }
        return joined
    }

    /// Adds the objects of a list at the end; to an empty list without copying it.
    mutating func add(_ list: Self) {
        if isEmpty {
            self = list
        } else if !list.isEmpty {
            append(contentsOf: list)
        }
    }
}
