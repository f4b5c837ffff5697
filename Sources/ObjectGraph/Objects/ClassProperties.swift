import CocoaFoundation
import Foundation
import Synchronization

/// The registered properties of a class, looked up by name and by key path; made once a class.
final class ClassProperties: Sendable {
    /// The accessors that the class wrote itself, those of its superclasses included.
    let custom: [String: ManagedProperty]
    /// The class's own checks by key.
    let validators: [String: ManagedValidator]
    /// Whether `validateValue(_:forKey:)` may do more than check the model's constraints.
    let checksValues: Bool

    private static let made = Mutex<[ObjectIdentifier: ClassProperties]>([:])
    private static let none = ClassProperties(custom: [:], validators: [:], checksValues: false)

    private init(
        custom: [String: ManagedProperty], validators: [String: ManagedValidator], checksValues: Bool
    ) {
        self.custom = custom
        self.validators = validators
        self.checksValues = checksValues
    }

    static func of(_ object: NSManagedObject) -> ClassProperties {
        let type = type(of: object) as NSManagedObject.Type
        return type == object.layout.objectClass ? object.layout.classProperties : of(type)
    }

    static func of(_ type: NSManagedObject.Type) -> ClassProperties {
        if type == NSManagedObject.self { return none }
        return made.withLock { made in
            if let properties = made[ObjectIdentifier(type)] { return properties }
            let custom = type.managedProperties.filter(\.isCustom)
            // A subclass lists its properties after its superclass's: the last one counts.
            let properties = ClassProperties(
                custom: Dictionary(custom.map { ($0.key, $0) }, uniquingKeysWith: { $1 }),
                validators: type.registeredValidators,
                checksValues: !type.registeredValidators.isEmpty
                    || MethodOverrides.overridesValueValidation(type))
            made[ObjectIdentifier(type)] = properties
            return properties
        }
    }
}

extension NSManagedObject: KeyPathNaming {
    /// The keys of the class's properties, for sort descriptors and observations made from key paths.
    public static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        managedProperties.map { ($0.key, $0.keyPath) }
    }
}
