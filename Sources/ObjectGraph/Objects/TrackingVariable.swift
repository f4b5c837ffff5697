import CSwiftRuntime
import Observation

/// Finds where Observation notes that a thread tracks, so that a read outside of tracking costs two loads.
///
/// The module does not export its variable. It is found by what it is outside of `withObservationTracking` and inside, once for the
/// process. Where it is not, as on other systems or after a change of the module, every read asks a probe, as it does under tracking.
enum TrackingVariable {
    private static let location = find()

    /// Lets this thread know whether it tracks. The thread does not track now.
    static func learn() {
        if !coredata_knows_tracking() { coredata_use_tracking(location) }
    }

    private static func find() -> coredata_tracking_location {
        // What the module defines says which module it is.
        let address = unsafeBitCast(ObservationRegistrar.self as Any.Type, to: UnsafeRawPointer.self)
        let copies = UnsafeMutablePointer<coredata_thread_words>.allocate(capacity: 5)
        defer { copies.deallocate() }
        copies.initialize(repeating: coredata_thread_words(), count: 5)
        coredata_copy_thread_words(address, copies)
        withObservationTracking {
            coredata_copy_thread_words(address, copies + 1)
            withObservationTracking {
                coredata_copy_thread_words(address, copies + 2)
            } onChange: {
            }
            coredata_copy_thread_words(address, copies + 3)
        } onChange: {
        }
        coredata_copy_thread_words(address, copies + 4)
        return coredata_find_tracking(copies)
    }
}
