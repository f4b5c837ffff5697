import Foundation
import ManagedObjectModel

// Reads of a child that merges what others have saved. It does not wait for the contexts above it: code on the queue of one of
// them, such as the main thread, may be waiting for the child.

extension NSManagedObjectContext {
    /// Requests the rows of identities from the contexts above, asynchronously.
    ///
    /// - Parameter body: is called on this context's queue later, as an event.
    func readParentLater(_ objectIdentities: [ObjectIdentity], _ body: @escaping (RowsAbove) -> Void) {
        let receiveRows: (RowsAbove) -> Void = { [weak self] found in
            guard let self else { return }
            contextQueue.async { self.runEvent { body(found) } }
        }
        guard let parentContext, !objectIdentities.isEmpty else {
            return receiveRows(RowsAbove(time: Date.timeIntervalSinceReferenceDate))
        }
        parentContext.findRows(of: objectIdentities, RowsAbove(), receiveRows)
    }

    /// Adds the rows of this context to those found, on its queue, and then those of the contexts above it.
    private func findRows(
        of objectIdentities: [ObjectIdentity], _ found: RowsAbove, _ body: @escaping (RowsAbove) -> Void
    ) {
        contextQueue.async { [self] in
            adoptPermanentIDs()
            var found = found
            found.time = found.time ?? Date.timeIntervalSinceReferenceDate
            var others: [ObjectIdentity] = []
            MatchBudget.sharing {
                for identity in objectIdentities {
                    guard parentContext == nil || hasRow(at: identity) else {
                        others.append(identity)
                        continue
                    }
                    do {
                        let id = NSManagedObjectID(
                            storedEntity: identity.storedEntity, reference: identity.reference)
                        found.rows[id] = try presentRow(at: identity, notBefore: -.infinity)
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
    private func hasRow(at identity: ObjectIdentity) -> Bool {
        guard let object = identityMap.object(self.identity(identity).key) else { return false }
        if !object.isFault || object.isInserted || object.isDeleted || object.state.contains(.inaccessible) {
            return true
        }
        return object.row.map { $0.timestamp >= oldestAcceptable } ?? false
    }

    /// The rows of objects as this context has them, by their keys.
    func presentRows(at objectIdentities: [ObjectIdentity]) -> [ObjectKey: Row] {
        var rows: [ObjectKey: Row] = [:]
        for identity in objectIdentities {
            // The contexts that merge request what cannot be packed, and report it.
            if let row = try? presentRow(at: identity, notBefore: -.infinity) { rows[identity.key] = row }
        }
        return rows
    }
}
