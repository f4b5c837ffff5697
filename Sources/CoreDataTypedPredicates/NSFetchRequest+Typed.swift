import CoreData

extension SortOrder {
    /// The least value first.
    public static var ascending: SortOrder { .forward }
    /// The greatest value first.
    public static var descending: SortOrder { .reverse }
}

// Requests in the words of the classes, one call after the other:
//
//     let request = NSFetchRequest<Book>(entityName: "Book")
//         .where(\.pages > 500 && \.author != nil)
//         .sort(\.publishDate, .descending)
//         .sort(\.title)
//         .limit(20)
//
// Each call changes the request and returns it.
extension NSFetchRequest where ResultType: NSManagedObject {
    /// Adds a condition; the request finds what meets this and all earlier ones.
    @discardableResult
    public func `where`(_ condition: TypedPredicate<ResultType>) -> Self {
        predicate =
            predicate.map { (TypedPredicate<ResultType>($0) && condition).predicate } ?? condition.predicate
        return self
    }

    /// Adds an order, among equals of all earlier ones.
    ///
    /// - Parameters:
    ///   - keyPath: the property, or one at the end of to-one relationships; it must have a name in `KeyPathNames`.
    ///   - order: which value comes first.
    @discardableResult
    public func sort<Value>(_ keyPath: KeyPath<ResultType, Value>, _ order: SortOrder = .ascending) -> Self {
        add(keyPath, order, nil)
    }

    /// Adds an order of strings by a selector, such as `localizedStandardCompare:`, among equals of all earlier ones.
    ///
    /// - Precondition: `selector` is one that `NSSortDescriptor(key:ascending:selector:)` takes.
    @discardableResult
    public func sort<Value: _PredicateText>(
        _ keyPath: KeyPath<ResultType, Value>, _ order: SortOrder = .ascending, by selector: Selector
    ) -> Self {
        add(keyPath, order, selector)
    }

    private func add(_ keyPath: AnyKeyPath, _ order: SortOrder, _ selector: Selector?) -> Self {
        guard let key = KeyPathNames.name(of: keyPath) else {
            fatalError(
                "No key is registered for \(keyPath); let \(ResultType.self) list it in managedProperties.")
        }
        let descriptor = NSSortDescriptor(key: key, ascending: order == .forward, selector: selector)
        sortDescriptors = (sortDescriptors ?? []) + [descriptor]
        return self
    }

    /// The request finds so many objects at most; 0 for all.
    @discardableResult
    public func limit(_ count: Int) -> Self {
        fetchLimit = count
        return self
    }

    /// The request leaves so many of the first objects out.
    @discardableResult
    public func offset(_ count: Int) -> Self {
        fetchOffset = count
        return self
    }
}
