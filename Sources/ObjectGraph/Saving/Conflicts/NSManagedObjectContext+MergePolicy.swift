import CocoaFoundation

extension NSManagedObjectContext {
    /// What to do when a save meets rows that changed since they were read: an `NSMergePolicy`.
    public var mergePolicy: Any {
        get { policy ?? NSMergePolicy.error }
        set {
            require(
                newValue is NSMergePolicy,
                "A merge policy must be an NSMergePolicy, not a \(type(of: newValue)).")
            policy = newValue as? NSMergePolicy
        }
    }
}
