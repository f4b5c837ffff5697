import Foundation

/// A lock whose calls go straight to the system's, for what is locked once for each object. Not recursive.
///
/// It has an owner, which destroys it when no thread uses it any more. A thread that has called `unlock()` uses it no more, even
/// before that returns, so the owner may go as soon as another thread has had the lock.
struct SystemLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "The system has no memory for a lock.")
    }

    @inline(__always)
    func lock() {
        let code = pthread_mutex_lock(mutex)
        assert(code == 0, "The lock was destroyed.")
    }

    @inline(__always)
    func unlock() {
        let code = pthread_mutex_unlock(mutex)
        assert(code == 0, "The lock is not held.")
    }

    func destroy() {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }
}
