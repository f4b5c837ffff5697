import Foundation
import Synchronization

/// The IDs of objects that were saved: packed, until the set of them is read.
///
/// Most sets are never read, and one of very many IDs takes as long as validating their objects. The identities are those at the time
/// when this is made: an object may get another one while observers of the save run.
final class SavedIDs: Sendable {
    private enum Contents {
        case packed(PackedIdentities)
        case made(Set<NSManagedObjectID>)
    }

    static let none = SavedIDs([])

    let isEmpty: Bool
    private let contents: Mutex<Contents>

    init(_ ids: Set<NSManagedObjectID>) {
        isEmpty = ids.isEmpty
        contents = Mutex(.made(ids))
    }

    private init(_ identities: PackedIdentities) {
        isEmpty = identities.isEmpty
        contents = Mutex(.packed(identities))
    }

    /// The present identities of objects. O(n).
    static func of(_ objects: [NSManagedObject]) -> SavedIDs {
        objects.isEmpty ? none : SavedIDs(PackedIdentities(objects))
    }

    /// The IDs; made when they are first read, on any thread. O(n) then.
    var set: Set<NSManagedObjectID> {
        contents.withLock { contents in
            switch contents {
            case .made(let ids): return ids
            case .packed(let identities):
                let ids = identities.ids
                contents = .made(ids)
                return ids
            }
        }
    }
}

/// The identities of objects, in order and packed.
private struct PackedIdentities: Sendable {
    private var references = ReferenceList()
    private var runs = EntityRuns()

    init(_ objects: [NSManagedObject]) {
        objects.forEachUncounted { object in
            runs.append(object.unretainedStoredEntity)
            references.append(object.reference)
        }
    }

    var isEmpty: Bool { references.count == 0 }

    var ids: Set<NSManagedObjectID> {
        var ids = Set<NSManagedObjectID>(minimumCapacity: references.count)
        for run in runs {
            for index in run.indexes {
                ids.insert(NSManagedObjectID(storedEntity: run.storedEntity, reference: references[index]))
            }
        }
        return ids
    }
}
