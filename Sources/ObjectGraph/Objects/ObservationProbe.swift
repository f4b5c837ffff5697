import CSwiftRuntime
import Observation
import Synchronization

/// Detects whether the running code is inside `withObservationTracking`, without a registrar in every object.
///
/// A registrar takes more memory than an object, so an object gets one only when it is read under tracking. The Observation
/// module does not report tracking; but only under tracking does a registrar put the key path of an access into a set, and so
/// hash the key path's argument. The probe's argument notes that. It is used on threads that may track; see `TrackingVariable`.
final class ObservationProbe {
    // Used on the context's queue only.

    private let subject: Subject
    private let path: KeyPath<Subject, Int>
    @exclusivity(unchecked) private var registrar = Registrar()
    /// The same, as a plain pointer, which is read without counting references.
    @exclusivity(unchecked) private var registrarPointer: Unmanaged<Registrar>

    init() {
        subject = Subject()
        path = \Subject.[Argument(subject: subject)]
        registrarPointer = Unmanaged.passUnretained(registrar)
    }

    /// O(1).
    func isTracking() -> Bool {
        registrarPointer._withUnsafeGuaranteedRef { $0.registrar.access(subject, keyPath: path) }
        guard subject.wasHashed.load(ordering: .relaxed) else { return false }
        noteTracking()
        return true
    }

    private func noteTracking() {
        subject.wasHashed.store(false, ordering: .relaxed)
        // The tracking now holds an entry for the old registrar; with the registrar, the entry goes.
        registrar = Registrar()
        registrarPointer = Unmanaged.passUnretained(registrar)
    }

    /// Holds a constant registrar: a variable one would be copied for each access.
    private final class Registrar {
        let registrar = ObservationRegistrar()
    }

    private final class Subject: Observable {
        let wasHashed = Atomic<Bool>(false)

        subscript(argument: Argument) -> Int { 0 }
    }

    /// Equal to every other one: a probe has one path.
    private struct Argument: Hashable {
        let subject: Subject

        static func == (a: Argument, b: Argument) -> Bool { a.subject === b.subject }

        func hash(into hasher: inout Hasher) {
            subject.wasHashed.store(true, ordering: .relaxed)
            hasher.combine(ObjectIdentifier(subject))
        }
    }
}

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
