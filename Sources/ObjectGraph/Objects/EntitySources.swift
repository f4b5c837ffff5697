import ManagedObjectModel
import Synchronization

/// Finds the entities of classes: a coordinator, by its model.
package protocol EntitySource: AnyObject, Sendable {
    /// The entity of a class; nil for a class without one.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription?
}

/// The models in use, for `NSManagedObject.entity()`, which has only a class.
package enum EntitySources {
    private struct Entry: Sendable {
        weak var source: (any EntitySource)?
    }

    private static let entries = Mutex<[Entry]>([])

    static func note(_ source: any EntitySource) {
        entries.withLock { entries in
            entries.removeAll { $0.source == nil }
            entries.append(Entry(source: source))
        }
    }

    /// Those in use, in the order in which they were made.
    package static var all: [any EntitySource] { entries.withLock { $0.compactMap(\.source) } }

    /// The entity of a class in the model that came into use last.
    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        all.reversed().lazy.compactMap { $0.entity(for: type) }.first
    }
}

extension NSManagedObject {
    /// A request for the objects of this class's entity.
    ///
    /// Generated classes declare a method of this name that returns a request for their own type; theirs is called where both
    /// fit.
    @_disfavoredOverload
    public class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest(entityName: entity().name ?? "")
    }
}
