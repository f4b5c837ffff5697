import Foundation
import ManagedObjectModel

// What a child reads of its own accord, to merge what others have saved. It does not wait for the contexts above it: who runs on
// the queue of one of them, such as the main thread, may be waiting for the child.

/// What contexts above a child have of some objects.
struct RowsAbove {
    /// Of those that are there.
    var rows: [NSManagedObjectID: Row] = [:]
    /// When the contexts had them; nil for rows that were just saved. What the child has read later is newer.
    var time: Double?
    /// Why others could not be read.
    var error: (any Error)?

    /// Whether an object was read after a row of it that is here.
    func isOlder(_ row: Row, than object: NSManagedObject) -> Bool {
        time ?? row.timestamp < object.row?.timestamp ?? -.infinity
    }
}

extension NSManagedObjectContext {
    /// Has the contexts above look for the rows of what is at places, when they come to it.
    ///
    /// - Parameter body: is called on this context's queue later, as an event.
    func readParentLater(_ places: [ObjectPlace], _ body: @escaping (RowsAbove) -> Void) {
        guard let parentContext else { fatalError("The context has no parent.") }
        let takeRows: (RowsAbove) -> Void = { [weak self] found in
            guard let self else { return }
            contextQueue.async { self.runEvent { body(found) } }
        }
        guard !places.isEmpty else {
            return takeRows(RowsAbove(time: Date.timeIntervalSinceReferenceDate))
        }
        parentContext.findRows(of: places, RowsAbove(), takeRows)
    }

    /// Adds the rows that this context has to what was found, on its queue, and then those that contexts above it have.
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

    /// Whether what is at a place is known here, so that nothing above has to be asked for it.
    private func hasRow(at place: ObjectPlace) -> Bool {
        guard let object = identityMap.object(self.place(place).key) else { return false }
        if !object.isFault || object.isInserted || object.isDeleted || object.state.contains(.inaccessible) {
            return true
        }
        return object.row.map { $0.timestamp >= oldestAcceptable } ?? false
    }

    /// The rows of objects as this context has them, by the keys of the places.
    func presentRows(at places: [ObjectPlace]) -> [ObjectKey: Row] {
        var rows: [ObjectKey: Row] = [:]
        for place in places {
            // The contexts that merge request what cannot be packed, and report it.
            if let row = try? presentRow(at: place, notBefore: -.infinity) { rows[place.key] = row }
        }
        return rows
    }
}
