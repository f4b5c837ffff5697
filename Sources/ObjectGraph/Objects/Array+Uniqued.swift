extension [NSManagedObject] {
    /// The objects, each once, in the order in which they come first. O(n).
    var uniqued: [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
