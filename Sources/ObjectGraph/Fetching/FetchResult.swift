/// The result of a fetch: objects, which are not boxed one by one, or anything else.
enum FetchResult {
    case objects(FoundObjects)
    case others([Any])

    var values: [Any] {
        switch self {
        case .objects(let found): found.list
        case .others(let values): values
        }
    }

    /// The result as a list of one type; nil when it has an element of another one.
    func typed<T>(_ type: T.Type) -> [T]? {
        guard case .objects(let found) = self else { return values as? [T] }
        let objects = found.list
        // Most lists are of exactly the requested class. A list of references has the same layout for all classes.
        if !objects.isEmpty, T.self == NSManagedObject.self || found.areExactly(T.self) {
            return unsafeBitCast(objects, to: [T].self)
        }
        var typed: [T] = []
        typed.reserveCapacity(objects.count)
        for object in objects {
            guard let object = object as? T else { return nil }
            typed.append(object)
        }
        return typed
    }
}
