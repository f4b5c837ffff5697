import CSwiftRuntime
import CocoaFoundation
import Foundation
import Observation
import Synchronization

// Swift Observation, property by property: a change of `price` does not invalidate a view that reads `title`.
//
// The registrar of an object knows its properties by key paths into one subscript, so that the accessor through which a
// property is read does not matter.

// `NSManagedObject` is not `Observable`, as Apple's is not, so that a class may be declared so; the registrar gets one object
// that stands for all. It uses only the key paths.

/// Stands for every object in calls of the registrars.
private final class ObservedProperties: Observable, Sendable {
    static let shared = ObservedProperties()

    /// Stands for a property in key paths; never read.
    subscript(slot: Int) -> Int { slot }

    static func path(_ slot: Int) -> KeyPath<ObservedProperties, Int> { \ObservedProperties.[slot] }
}

extension NSManagedObject {
    /// Notes that a property is read, for the code that tracks.
    @inline(__always)
    final func trackAccess(_ slot: Int) {
        if coredata_may_be_tracking() { trackAccessIfTracking(slot) }
    }

    /// An object without a context has no probe of its own: it uses one that all threads share.
    @inline(never)
    private final func trackAccessIfTracking(_ slot: Int) {
        let isTracking =
            contextPointer?._withUnsafeGuaranteedRef { $0.observationProbe.isTracking() }
            ?? Self.sharedProbe.withLock { $0.isTracking() }
        if isTracking { registerAccess(slot) } else { TrackingVariable.learn() }
    }

    private static let sharedProbe = Mutex(ObservationProbe())

    private final func registerAccess(_ slot: Int) {
        let extras = madeExtras
        let registrar = extras.registrar ?? ObservationRegistrar()
        extras.registrar = registrar
        registrar.access(ObservedProperties.shared, keyPath: ObservedProperties.path(slot))
        // A property with an accessor of its own may be computed from others; these note their own accesses.
    }

    final func registrarWillSet(_ slot: Int) {
        guard let registrar = extras?.registrar else { return }
        let observed = ObservedProperties.shared
        registrar.willSet(observed, keyPath: ObservedProperties.path(slot))
        for dependent in dependentSlots(of: slot) {
            registrar.willSet(observed, keyPath: ObservedProperties.path(dependent))
        }
    }

    final func registrarDidSet(_ slot: Int) {
        guard let registrar = extras?.registrar else { return }
        let observed = ObservedProperties.shared
        for dependent in dependentSlots(of: slot) {
            registrar.didSet(observed, keyPath: ObservedProperties.path(dependent))
        }
        registrar.didSet(observed, keyPath: ObservedProperties.path(slot))
    }

    /// The modelled properties whose value the class says depends on this one, directly or indirectly.
    private final func dependentSlots(of slot: Int) -> [Int] {
        let name = layout.slots[slot].name
        let dependents = type(of: self).keysDependent(on: name, among: layout.slots.map(\.name))
        return layout.slots.indices.filter { $0 != slot && dependents.contains(layout.slots[$0].name) }
    }

    /// The keys whose values depend on that of a key, directly or through others, which need not be modelled. For a key path
    /// over a relationship, the relationship counts. Keys may depend on each other.
    private static func keysDependent(on key: String, among keys: [String]) -> Set<String> {
        var dependents: [String: [String]] = [:]
        var seen = Set(keys)
        var unread = keys
        while let key = unread.popLast() {
            for path in keyPathsForValuesAffectingValue(forKey: key) {
                let source = String(path.prefix { $0 != "." })
                dependents[source, default: []].append(key)
                if seen.insert(source).inserted { unread.append(source) }
            }
        }
        var found: Set<String> = []
        var reached = [key]
        while let key = reached.popLast() {
            reached += (dependents[key] ?? []).filter { found.insert($0).inserted }
        }
        return found
    }
}
