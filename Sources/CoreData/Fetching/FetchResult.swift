/// What a fetch finds: objects, which are not boxed one by one on their way, or anything else.
enum FetchResult {
    case objects([NSManagedObject])
    case others([Any])

    var values: [Any] {
        switch self {
        case .objects(let objects): objects
        case .others(let values): values
        }
    }

    /// The result as a list of one type; nil when it has an element of another one.
    func typed<T>(_ type: T.Type) -> [T]? {
        guard case .objects(let objects) = self else { return values as? [T] }
        var typed: [T] = []
        typed.reserveCapacity(objects.count)
        for object in objects {
            // Most are of just the class that is asked for, which is seen faster than by a cast.
            if Swift.type(of: object) == T.self {
                typed.append(unsafeBitCast(object, to: T.self))
            } else if let object = object as? T {
                typed.append(object)
            } else {
                return nil
            }
        }
        return typed
    }
}
