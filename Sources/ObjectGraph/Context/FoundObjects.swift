/// Objects that a fetch found, in order.
struct FoundObjects {
    let list: [NSManagedObject]
    /// The class of all of them, if that is known without looking at each.
    private let objectClass: NSManagedObject.Type?

    init(_ list: [NSManagedObject], all objectClass: NSManagedObject.Type? = nil) {
        self.list = list
        self.objectClass = objectClass
    }

    /// Whether all are exactly of one class.
    func areExactly<T>(_ type: T.Type) -> Bool {
        if let objectClass { return objectClass == type }
        return list.allSatisfy { Swift.type(of: $0) == type }
    }
}
