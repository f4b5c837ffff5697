import Foundation
import ManagedObjectModel

extension NSManagedObject {
    /// The value of an attribute in a row, its external data included; nil when that cannot be read.
    final func stored(_ row: Row, _ slot: Int, _ info: PropertySlot) -> SlotValue? {
        guard info.isExternal, !row.isNull(slot) else { return row.value(slot, info) }
        let store = storedEntity.store
        do {
            return .data(try ExternalData.data(row.data(slot), of: store))
        } catch {
            // The file of a row that others have changed since is gone: their data is all there is.
            if let newer = newerRow(than: row, slot) {
                guard let newer, !newer.isNull(slot) else { return .null }
                if let data = try? ExternalData.data(newer.data(slot), of: store) { return .data(data) }
            }
            // Reading a property cannot throw; the next save does. A validating save keeps the bytes.
            Log.objects.error("Could not load \(objectID): \(error.localizedDescription)")
            if let context, !context.session.isValidating { context.session.faultingError = error as NSError }
            return nil
        }
    }

    /// Loads external data that was not read yet. Unreadable data is left unchanged.
    ///
    /// - Parameter report: receives the error for each lost value: 134060.
    final func readExternalData(_ report: (NSError) -> Void) {
        guard let row, !layout.externalSlots.isEmpty else { return }
        let store = storedEntity.store
        for slot in layout.externalSlots.map(\.rowSlot) where !row.isNull(slot) {
            // A value that validation could not read is nil without having been set.
            if slot < values.count, !values[slot].isUnloaded, touched.contains(slot) || !values[slot].isNull {
                continue
            }
            do {
                let data = try ExternalData.data(row.data(slot), of: store)
                ensureValues()
                values[slot] = .data(data)
            } catch {
                report(error as NSError)
            }
        }
    }

    /// The store's newer row, if a column differs: nil inside for a deleted row, nil for an equal one.
    private final func newerRow(than row: Row, _ slot: Int) -> Row?? {
        guard let store = storedEntity.store as? any ObjectStore,
            let found = try? [
                store.row(
                    of: storedEntity, reference, notBefore: .infinity,
                    for: context?.reader(of: store) ?? StoreReader())
            ]
        else { return nil }
        guard let newer = found[0] else { return .some(nil) }
        return !newer.isNull(slot) && newer.data(slot) == row.data(slot) ? nil : .some(newer)
    }
}
