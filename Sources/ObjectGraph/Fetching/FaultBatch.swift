import ManagedObjectModel

/// Neighbours in a result whose rows are read by one request, when a property of the first of them is read.
///
/// Made for `NSFetchRequest.fetchBatchSize`. The faults hold their batch, which has only their identities: it is released with
/// the last of them that waits for its row. Used on the context's queue only.
final class FaultBatch: FaultNeighbours {
    private let identities: [ObjectIdentity]
    /// The size of a full batch, so that a shorter one uses the same statement.
    private let size: Int
    private let prefetching: RelationshipPaths
    /// The rows of the objects from earlier fetches.
    private let olderRows: [ObjectKey: Row]
    private var isLoaded = false

    /// - Parameter members: faults.
    init(_ members: [NSManagedObject], size: Int, prefetching: RelationshipPaths) {
        identities = members.map(ObjectIdentity.init)
        self.size = size
        self.prefetching = prefetching
        olderRows = members.reduce(into: [:]) { rows, object in
            if let row = object.row ?? object.batch?.olderRow(of: object) { rows[object.key] = row }
        }
    }

    /// The row that a member had before it waited for one, used if the store no longer has one.
    override func olderRow(of object: NSManagedObject) -> Row? { olderRows[object.key] }

    /// Loads the rows of the objects that are still waiting, and the relationships that the request prefetches; does nothing
    /// the second time.
    ///
    /// - Throws: an error of the store; the batch can be loaded again then.
    override func load(in context: NSManagedObjectContext) throws {
        guard !isLoaded else { return }
        isLoaded = true
        do {
            let members = identities.compactMap { identity in
                context.identityMap.object(context.identity(identity).key)
            }.filter(isWaiting)
            try context.loadRows(of: members, paddedTo: size)
            // Without a row, an object is read alone: it is gone, or of another entity.
            for object in members where object.row == nil { object.faultSource = nil }
            try context.prefetch(prefetching, members.filter { $0.row != nil })
        } catch {
            isLoaded = false
            throw error
        }
    }

    private func isWaiting(_ object: NSManagedObject) -> Bool {
        object.isFault && object.row == nil && object.batch === self
    }
}

extension NSManagedObjectContext {
    /// Makes the faults of a result wait for their rows together. Rows of an earlier fetch no longer count, as a fetch that
    /// reads rows would replace them. O(n).
    func gather(_ found: [NSManagedObject], _ fetch: ResolvedFetch) {
        let size = fetch.batchSize
        for start in stride(from: 0, to: found.count, by: size) {
            let members = found[start..<min(found.count, start + size)].filter { object in
                object.isFault && !object.isUnknownBelow
            }
            guard !members.isEmpty else { continue }
            let batch = FaultBatch(members, size: size, prefetching: fetch.prefetching)
            for object in members {
                object.row = nil
                object.faultSource = .batch(batch)
            }
        }
    }
}

extension NSManagedObjectContext {
    /// Makes an object whose row is gone use the one that it holds.
    ///
    /// - Returns: false when it holds none, and has no values from now on.
    func showLastKnownRow(of object: NSManagedObject) -> Bool {
        object.adoptLastKnownRow()
        guard object.isFault else { return true }
        guard let row = object.row else {
            makeInaccessible(object)
            return false
        }
        object.fire(with: row)
        return true
    }
}

extension NSManagedObject {
    /// The neighbours that a fault waits for its row with.
    final var batch: FaultNeighbours? {
        if case .batch(let batch) = faultSource { batch } else { nil }
    }

    /// Makes a fault whose row cannot be loaded use its former one, if any.
    final func adoptLastKnownRow() {
        guard isFault, row == nil, let older = batch?.olderRow(of: self) else { return }
        row = older
    }
}
