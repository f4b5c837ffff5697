import ManagedObjectModel

/// A fetch expression is evaluated by the context that it names.
extension NSManagedObjectContext: FetchExpressionContext {
    package func result(of request: NSPersistentStoreRequest, countOnly: Bool) throws -> Any? {
        if countOnly { return try countAny(request) }
        return try fetchAny(request)
    }
}
