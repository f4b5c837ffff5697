import Synchronization

/// A reference that is set once, and read without a lock.
///
/// As `AtomicLazyReference`, which is not compiled for its type outside of its own module: a load would take ten times as long as what
/// is read.
struct PublishedReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    /// Retained, once there is one.
    private let pointer = Atomic<UnsafeRawPointer?>(nil)

    deinit {
        guard let object = pointer.load(ordering: .acquiring) else { return }
        Unmanaged<Object>.fromOpaque(object).release()
    }

    @inline(__always)
    func load() -> Object? {
        guard let object = pointer.load(ordering: .acquiring) else { return nil }
        return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }

    /// Sets the reference, unless there is one.
    ///
    /// - Returns: the one that is there.
    @discardableResult
    func storeIfNil(_ object: Object) -> Object {
        let retained = Unmanaged.passRetained(object)
        let (isSet, present) = pointer.compareExchange(
            expected: nil, desired: UnsafeRawPointer(retained.toOpaque()), ordering: .acquiringAndReleasing)
        if isSet { return object }
        retained.release()
        return present.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() } ?? object
    }
}
