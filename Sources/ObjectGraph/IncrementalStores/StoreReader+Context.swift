// The context that the methods of `NSIncrementalStore` receive.

extension StoreReader {
    /// The context that reads; nil for a read without one.
    var context: NSManagedObjectContext? { client as? NSManagedObjectContext }
}

extension SavedObjects {
    /// The context that saves.
    var context: NSManagedObjectContext? { client as? NSManagedObjectContext }
}
