import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The values of transformable attributes, between the object and the bytes that a store keeps.
///
/// Without a name, the secure unarchive transformer serves.
enum TransformableValue {
    /// Decodes a stored value. One whose class or transformer is not there is an ``OpaqueArchive``. An archive that the
    /// transformer refuses reads as nil, and the refusal is logged; the row keeps its bytes as long as no new value is
    /// set.
    static func decode(_ data: Data, _ slot: PropertySlot) -> SlotValue {
        let transformer: ValueTransformer
        do {
            transformer = try self.transformer(of: slot)
        } catch {
            return .boxed(ValueBox(OpaqueArchive(data: data, reason: error.localizedDescription)))
        }
        do {
            return try value(of: data, slot, transformer).map { .boxed(ValueBox($0)) } ?? .null
        } catch {
            if transformer.isAppliedInReverse, let name = KeyedArchiveReader.missingClass(in: data) {
                let reason =
                    "There is no class \(name) here, of which attribute '\(slot.name)' has an object."
                return .boxed(ValueBox(OpaqueArchive(data: data, reason: reason)))
            }
            Log.objects.error("\(error.localizedDescription)")
            return .null
        }
    }

    /// - Throws: 134060 when the transformer refuses the data.
    private static func value(
        of data: Data, _ slot: PropertySlot, _ transformer: ValueTransformer
    ) throws -> Any? {
        do {
            return try transformer.value(fromStored: data)
        } catch {
            throw NSError.coreData(
                .coreData,
                "The stored value of transformable attribute '\(slot.name)' was refused: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError, NSValidationKeyErrorKey: slot.name])
        }
    }

    /// Makes the bytes to store.
    ///
    /// - Throws: 134060 when the transformer is unknown or refuses the value.
    static func encode(_ value: Any, _ slot: PropertySlot) throws -> Data {
        if let archive = value as? OpaqueArchive { return archive.data }
        let transformer = try transformer(of: slot)
        let details: [String: Any] = [NSValidationKeyErrorKey: slot.name, NSValidationValueErrorKey: value]
        let data: Data?
        do {
            data = try transformer.storedData(for: value)
        } catch {
            throw NSError.coreData(
                .coreData,
                "The value of transformable attribute '\(slot.name)' was refused: \(error.localizedDescription)",
                details.merging([NSUnderlyingErrorKey: error as NSError]) { $1 })
        }
        if let data { return data }
        throw NSError.coreData(
            .coreData,
            "The transformer of attribute '\(slot.name)' made nothing of a \(type(of: value)).", details)
    }

    /// Apple's transformers that let the archive choose the classes.
    private static let insecure: Set = ["NSUnarchiveFromData", "NSKeyedUnarchiveFromData"]

    private static func transformer(of slot: PropertySlot) throws -> ValueTransformer {
        let name = slot.attribute?.valueTransformerName ?? ""
        let registered =
            name.isEmpty
            ? NSValueTransformerName.secureUnarchiveFromDataTransformerName : NSValueTransformerName(name)
        if let transformer = ValueTransformer(forName: registered) { return transformer }
        if insecure.contains(registered.rawValue) {
            throw NSError.coreData(
                .coreData,
                """
                Attribute '\(slot.name)' of entity '\(slot.property.entity.name ?? "")' asks for the value transformer \
                '\(registered.rawValue)', which makes objects of any class that the data names. It is deprecated and not \
                supported: give the attribute the name \
                '\(NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue)', which reads the same archives, \
                or register an NSSecureUnarchiveFromDataTransformer under the old name.
                """, [NSValidationKeyErrorKey: slot.name])
        }
        throw NSError.coreData(
            .coreData,
            """
            No value transformer is registered under the name '\(registered.rawValue)', which attribute '\(slot.name)' \
            of entity '\(slot.property.entity.name ?? "")' asks for. Register it with \
            ValueTransformer.setValueTransformer(_:forName:) before the store is loaded.
            """, [NSValidationKeyErrorKey: slot.name])
    }
}
