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

/// The identities of objects, in order and packed, and one entity binding for each run of objects that share it.
private struct PackedIdentities: Sendable {
    private var references = ReferenceList()
    /// The entity bindings, with the index of the first identity after their run.
    private var runs: [(storedEntity: StoredEntity, end: Int)] = []

    init(_ objects: [NSManagedObject]) {
        for object in objects {
            let storedEntity = object.unretainedStoredEntity
            if runs.last.map({ Unmanaged.passUnretained($0.storedEntity).toOpaque() })
                != storedEntity.toOpaque()
            {
                runs.append((storedEntity.takeUnretainedValue(), references.count))
            }
            references.append(object.reference)
            runs[runs.count - 1].end = references.count
        }
    }

    var isEmpty: Bool { references.count == 0 }

    var ids: Set<NSManagedObjectID> {
        var ids = Set<NSManagedObjectID>(minimumCapacity: references.count)
        var start = 0
        for (storedEntity, end) in runs {
            for index in start..<end {
                ids.insert(NSManagedObjectID(storedEntity: storedEntity, reference: references[index]))
            }
            start = end
        }
        return ids
    }
}
