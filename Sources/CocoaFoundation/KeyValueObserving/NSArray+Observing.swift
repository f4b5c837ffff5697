extension NSArray {
    /// Registers an observer for a key path of some of the objects in the array, as
    /// `KeyValueObserving.addObserver(_:forKeyPath:options:context:)` does of each.
    ///
    /// Stops with a message for an object that cannot be observed.
    public func addObserver(
        _ observer: any KeyValueObserver, toObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        for index in indexes {
            observed(at: index).addObserver(observer, forKeyPath: keyPath, options: options, context: context)
        }
    }

    /// Removes the latest registration of an observer for a key path of each of some objects.
    ///
    /// Stops with a message where there is none, as Apple's raises an exception.
    public func removeObserver(
        _ observer: any KeyValueObserver, fromObjectsAt indexes: IndexSet, forKeyPath keyPath: String
    ) {
        for index in indexes { observed(at: index).removeObserver(observer, forKeyPath: keyPath) }
    }

    /// Removes the latest registration of an observer for a key path and a context of each of some objects.
    ///
    /// Stops with a message where there is none, as Apple's raises an exception.
    public func removeObserver(
        _ observer: any KeyValueObserver, fromObjectsAt indexes: IndexSet, forKeyPath keyPath: String,
        context: UnsafeMutableRawPointer?
    ) {
        for index in indexes {
            observed(at: index).removeObserver(observer, forKeyPath: keyPath, context: context)
        }
    }

    private func observed(at index: Int) -> any KeyValueObserving {
        guard let object = self[index] as? any KeyValueObserving else {
            fatalError("\(described(self[index])) at index \(index) of an array cannot be observed.")
        }
        return object
    }
}
