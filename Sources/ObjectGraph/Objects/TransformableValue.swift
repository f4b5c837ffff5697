import CocoaFoundation
import Foundation
import ManagedObjectModel
import Synchronization

/// The values of transformable attributes, between the object and the bytes that a store keeps.
///
/// Without a name, and for an unregistered one, the secure unarchive transformer serves, as with Apple's framework.
enum TransformableValue {
    /// Decodes a stored value. Without its class or transformer, the value is an ``OpaqueArchive``. An archive that the
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
            if let name = unregisteredName(of: slot) {
                // The bytes are those of the missing transformer.
                let reason = "No value transformer is registered under the name '\(name)'."
                return .boxed(ValueBox(OpaqueArchive(data: data, reason: reason)))
            }
            if transformer.isAppliedInReverse, let name = KeyedArchiveReader.missingClass(in: data) {
                let reason =
                    "Attribute '\(slot.name)' has an object of the class \(name), which this program does not have."
                return .boxed(ValueBox(OpaqueArchive(data: data, reason: reason)))
            }
            Log.objects.error("\(error.localizedDescription)")
            return .null
        }
    }

    /// The default value of an attribute. An object that a compiled model has as an archive is decoded if the attribute's
    /// transformer accepts its class, or the program has registered the class.
    static func defaultObject(_ value: Any, _ slot: PropertySlot) -> Any {
        guard let archive = value as? OpaqueArchive else { return value }
        if let transformer = try? transformer(of: slot), transformer.isAppliedInReverse,
            let object = try? transformer.value(fromStored: archive.data)
        {
            return object
        }
        return archive.objectOfRegisteredClass() ?? archive
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
        if let archive = value as? OpaqueArchive, !archive.isOfModel { return archive.data }
        let transformer = try transformer(of: slot)
        if let archive = value as? OpaqueArchive {
            if transformer.isAppliedInReverse { return archive.data }
            throw NSError.coreData(
                .coreData,
                """
                The default value of attribute '\(slot.name)' is an object of the class \(archive.className ?? "?"), which \
                this program does not have, so its transformer cannot make the bytes to store. Register the class with \
                NSKeyedUnarchiver.setClass(_:forClassName:), or set the attribute.
                """, [NSValidationKeyErrorKey: slot.name])
        }
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
            "The transformer of attribute '\(slot.name)' returned nil for a \(type(of: value)).", details)
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
        noteUnregistered(registered.rawValue, slot)
        return fallbackTransformer
    }

    // MARK: Unregistered names

    /// The substitute for a transformer that is not registered.
    private static var fallbackTransformer: ValueTransformer { NSSecureUnarchiveFromDataTransformer() }
    private static let namesInLog = Mutex<Set<String>>([])

    /// The name of the attribute's transformer, if it is not registered.
    private static func unregisteredName(of slot: PropertySlot) -> String? {
        guard let name = slot.attribute?.valueTransformerName, !name.isEmpty,
            ValueTransformer(forName: NSValueTransformerName(name)) == nil
        else { return nil }
        return name
    }

    /// Logs each name once.
    private static func noteUnregistered(_ name: String, _ slot: PropertySlot) {
        guard namesInLog.withLock({ $0.insert(name).inserted }) else { return }
        Log.objects.warning(
            """
            No value transformer is registered under the name '\(name)', which attribute '\(slot.name)' of entity \
            '\(slot.property.entity.name ?? "")' asks for; values are archived with secure coding instead. Register it with \
            ValueTransformer.setValueTransformer(_:forName:) before the store is loaded.
            """)
    }
}
