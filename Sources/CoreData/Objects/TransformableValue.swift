import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The values of transformable attributes, between the object and the bytes that a store keeps.
///
/// A named transformer turns the value into data (`transformedValue`) and back (`reverseTransformedValue`);
/// Foundation's unarchive transformers, and the default when no name is given, go the other way round, as Apple's
/// do: they *unarchive* forwards, so their reverse makes the data.
enum TransformableValue {
    /// Decodes a stored value. An archive that the transformer refuses reads as nil, and the refusal is logged;
    /// the row keeps its bytes as long as no new value is set.
    static func decode(_ data: Data, _ slot: PropertySlot) -> SlotValue {
        do {
            return try decodeChecked(data, slot).map { .boxed(ValueBox($0)) } ?? .null
        } catch {
            Log.objects.error("\(error.localizedDescription)")
            return .null
        }
    }

    static func decodeChecked(_ data: Data, _ slot: PropertySlot) throws -> Any? {
        let transformer = try transformer(of: slot)
        do {
            if transformer is NSSecureUnarchiveFromDataTransformer {
                return try transformer.transformedValue(checking: data)
            }
            return try transformer.reverseTransformedValue(checking: data)
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
        let transformer = try transformer(of: slot)
        let encoded: Any?
        do {
            if transformer is NSSecureUnarchiveFromDataTransformer {
                encoded = try transformer.reverseTransformedValue(checking: value)
            } else {
                encoded = try transformer.transformedValue(checking: value)
            }
        } catch {
            throw NSError.coreData(
                .coreData,
                "The value of transformable attribute '\(slot.name)' was refused: \(error.localizedDescription)",
                [
                    NSUnderlyingErrorKey: error as NSError, NSValidationKeyErrorKey: slot.name,
                    NSValidationValueErrorKey: value,
                ])
        }
        guard let data = encoded as? Data else {
            throw NSError.coreData(
                .coreData,
                """
                The transformer of attribute '\(slot.name)' made \(encoded.map { "a \(type(of: $0))" } ?? "nothing") \
                of a \(type(of: value)); Core Data stores data only.
                """, [NSValidationKeyErrorKey: slot.name, NSValidationValueErrorKey: value])
        }
        return data
    }

    private static func transformer(of slot: PropertySlot) throws -> ValueTransformer {
        let name = slot.attribute?.valueTransformerName ?? ""
        let registered =
            name.isEmpty
            ? NSValueTransformerName.secureUnarchiveFromDataTransformerName : NSValueTransformerName(name)
        if let transformer = ValueTransformer(forName: registered) { return transformer }
        throw NSError.coreData(
            .coreData,
            """
            No value transformer is registered under the name '\(registered.rawValue)', which attribute '\(slot.name)' \
            of entity '\(slot.property.entity.name ?? "")' asks for. Register it with \
            ValueTransformer.setValueTransformer(_:forName:) before the store is loaded.
            """, [NSValidationKeyErrorKey: slot.name])
    }
}
