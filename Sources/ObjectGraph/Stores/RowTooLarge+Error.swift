import Foundation
import ManagedObjectModel

extension RowTooLarge {
    /// The error of a save or validation: which object, and which of its properties.
    package func error(_ layout: EntityLayout, _ object: NSManagedObject? = nil) -> NSError {
        let property = layout.slots.first { slot in
            slot.rowSlot == rowSlot || slot.elements.contains { $0.rowSlot == rowSlot }
        }
        var userInfo: [String: Any] = [:]
        userInfo[NSValidationKeyErrorKey] = property?.name
        userInfo[NSValidationObjectErrorKey] = object
        let name = "'\(property?.name ?? "")' of entity '\(layout.entity.name ?? "")'"
        return .coreData(
            .managedObjectValidation, "The value of \(name) is too large. \(errorDescription ?? "")", userInfo
        )
    }
}
