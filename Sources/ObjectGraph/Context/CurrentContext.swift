import Foundation

/// The context whose block a thread is running, the innermost one.
///
/// Used by `NSFetchRequest.execute()`, and for what an object does on its own queue alone.
enum CurrentContext {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var value: NSManagedObjectContext? {
        pthread_getspecific(key).map {
            Unmanaged<NSManagedObjectContext>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Whether the thread is running a block of a context, the innermost one. Without counting references of it.
    static func isThis(_ context: Unmanaged<NSManagedObjectContext>?) -> Bool {
        guard let context, let current = pthread_getspecific(key) else { return false }
        return UnsafeMutableRawPointer(current) == context.toOpaque()
    }

    /// Runs a block of a context.
    static func run<T, E: Error>(_ context: NSManagedObjectContext, _ block: () throws(E) -> T) throws(E) -> T
    {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(context).toOpaque())
        defer { pthread_setspecific(key, outer) }
        return try block()
    }
}
