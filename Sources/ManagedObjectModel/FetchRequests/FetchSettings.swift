/// What a fetch request is set to. Requests that were made of each other by `NSFetchRequest.cast(_:)` share one.
package final class FetchSettings {
    var specification: FetchSpecification
    var affectedStoreObjects: [AnyObject]?
    /// Whether a model in use holds the request.
    var isImmutable = false

    init(_ specification: FetchSpecification) { self.specification = specification }
}
