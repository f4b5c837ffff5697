import Foundation
import ManagedObjectModel

// Reads of a child that merges what others have saved. It does not wait for the contexts above it: code on the queue of one of
// them, such as the main thread, may be waiting for the child.

extension NSManagedObjectContext {
    /// Requests the rows of identities from the contexts above, asynchronously.
    ///
    /// - Parameter body: is called on this context's queue later, as an event.
    func readParentLater(_ places: [ObjectPlace], _ body: @escaping (RowsAbove) -> Void) {
        let takeRows: (RowsAbove) -> Void = { [weak self] found in
            guard let self else { return }
            contextQueue.async { self.runEvent { body(found) } }
        }
        guard let parentContext, !places.isEmpty else {
            return takeRows(RowsAbove(time: Date.timeIntervalSinceReferenceDate))
        }
        parentContext.findRows(of: places, RowsAbove(), takeRows)
    }

    /// Adds the rows of this context to those found, on its queue, and then those of the contexts above it.
    private func findRows(
        of places: [ObjectPlace], _ found: RowsAbove, _ body: @escaping (RowsAbove) -> Void
    ) {
        contextQueue.async { [self] in
            adoptPermanentIDs()
            var found = found
            found.time = found.time ?? Date.timeIntervalSinceReferenceDate
            var others: [ObjectPlace] = []
            MatchBudget.sharing {
                for place in places {
                    guard parentContext == nil || hasRow(at: place) else {
                        others.append(place)
                        continue
                    }
                    do {
                        let id = NSManagedObjectID(home: place.home, reference: place.reference)
                        found.rows[id] = try presentRow(at: place, notBefore: -.infinity)
                    } catch {
                        found.error = error
                    }
                }
            }
            if let parentContext, !others.isEmpty {
                parentContext.findRows(of: others, found, body)
            } else {
                body(found)
            }
        }
    }

    /// Whether the object is known here, so that no context above is needed for it.
    private func hasRow(at place: ObjectPlace) -> Bool {
        guard let object = identityMap.object(self.place(place).key) else { return false }
        if !object.isFault || object.isInserted || object.isDeleted || object.state.contains(.inaccessible) {
            return true
        }
        return object.row.map { $0.timestamp >= oldestAcceptable } ?? false
    }

    /// The rows of objects as this context has them, by their keys.
    func presentRows(at places: [ObjectPlace]) -> [ObjectKey: Row] {
        var rows: [ObjectKey: Row] = [:]
        for place in places {
            // The contexts that merge request what cannot be packed, and report it.
            if let row = try? presentRow(at: place, notBefore: -.infinity) { rows[place.key] = row }
        }
        return rows
    }
}
