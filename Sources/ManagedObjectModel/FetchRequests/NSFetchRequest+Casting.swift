import CocoaFoundation

extension NSFetchRequest {
    /// The request under the type `NSFetchRequest<ResultType>`: what `value as? NSFetchRequest<ResultType>` gives with
    /// Apple's framework.
    ///
    /// ```swift
    /// let request: NSFetchRequest<Book> = Book.fetchRequest()
    /// let any = NSFetchRequest<any NSFetchRequestResult>.cast(request)
    /// ```
    ///
    /// Apple's class has Objective-C's type parameters, which do not exist at run time, so that a cast between types of
    /// requests always succeeds there and gives the same object. A cast in Swift never does. This call gives another object
    /// with the same settings: what is changed in either request, its affected stores included, shows in both, and the two
    /// are equal (`==`, `isEqual(_:)`) without being identical (`===`). A request that has the type already is returned
    /// itself. A request of a subclass of `NSFetchRequest` becomes one of `NSFetchRequest`.
    ///
    /// As with Apple's framework, nothing is checked: executing the request fails if its results are not of the type.
    ///
    /// `coredata port` writes this call for `as?`, `as!` and `is`. Ours.
    ///
    /// - Parameter value: a fetch request of any type, as an object of any class or protocol.
    /// - Returns: the request; nil if `value` is nil or not a fetch request.
    public static func cast(_ value: Any?) -> NSFetchRequest<ResultType>? {
        guard let value else { return nil }
        if let request = value as? NSFetchRequest<ResultType> { return request }
        return (value as? NSPersistentStoreRequest)?.fetchSettings.map { NSFetchRequest(sharing: $0) }
    }

    /// The same request, whose results have another type; see `cast(_:)`.
    package static func sharing<Other>(_ request: NSFetchRequest<Other>) -> NSFetchRequest<ResultType> {
        cast(request) ?? NSFetchRequest()
    }
}
