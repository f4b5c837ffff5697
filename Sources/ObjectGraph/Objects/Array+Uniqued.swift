extension [NSManagedObject] {
    /// The objects, each once, in the order of their first occurrence. O(n).
    var uniqued: [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
