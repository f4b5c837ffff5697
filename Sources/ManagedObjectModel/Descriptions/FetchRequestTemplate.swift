import CocoaFoundation

/// A fetch request that a model holds under a name.
protocol FetchRequestTemplate: AnyObject {
    var entityName: String? { get }
    var entity: NSEntityDescription? { get }
    var predicate: NSPredicate? { get }

    /// Puts the entity that the request's entity name stands for in place.
    func resolveEntity(_ entity: NSEntityDescription)
    /// Makes the request part of a model, which owns the entity.
    func joinModel()
    /// Ends the time in which the request can be changed.
    func makeImmutable()
    /// A request that can be changed.
    func copy(with zone: NSZone?) -> Any
}
