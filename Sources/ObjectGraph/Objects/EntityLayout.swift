import Foundation
import ManagedObjectModel
import Synchronization

/// How the values of a property are kept in objects and rows.
@usableFromInline
package enum SlotKind: UInt8, Sendable {
    case integer16, integer32, integer64, boolean
    case double, float, date
    case decimal, string, uri, uuid, binary, transformable
    case composite, undefined
    case toOne, toMany, fetched

    /// Whether a row keeps the value as bytes with an offset, not as a number in place.
    @inlinable package var hasBytes: Bool {
        switch self {
        case .decimal, .string, .uri, .uuid, .binary, .transformable: true
        default: false
        }
    }

    /// Whether a row keeps the value as a binary real number.
    @inlinable package var isReal: Bool { self == .double || self == .float || self == .date }

    /// Whether arithmetic with the kind is that of whole numbers.
    @inlinable package var isWholeNumber: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: true
        default: false
        }
    }

    package var isRelationship: Bool { self == .toOne || self == .toMany }
}

/// A property of an entity as the runtime sees it; its place in `EntityLayout.slots` is its slot index.
///
/// A class, so that handing it around counts one reference and not one for each of its members.
package final class PropertySlot: @unchecked Sendable {
    package let name: String
    package let kind: SlotKind
    package let isTransient: Bool
    package let isDerived: Bool
    package let isOrdered: Bool
    /// Not in the store: transient attributes and relationships, fetched properties.
    package let isStored: Bool
    /// The row slot of the destination's entity number (`toOne` to an entity with subentities), or -1.
    package let entitySlot: Int
    /// Of a relationship: the index of its inverse among the properties of the destination entity, or -1. A subentity can have
    /// its own property of that name.
    package let inverseIndex: Int
    /// Where a row keeps the value: the slot's own index for a property, a place behind for a composite's element.
    package let rowSlot: Int
    /// The elements of a composite attribute.
    package let elements: [PropertySlot]
    package let property: NSPropertyDescription
    /// Whether the data may be in a file beside the store's. Elements of composites are kept in the row.
    package let isExternal: Bool
    /// What values of the property must fulfil.
    let predicates: [NSPredicate]

    /// The traits that loops over all slots read.
    package var traits: SlotTraits {
        SlotTraits(
            kind: kind, isStored: isStored, isDerived: isDerived, isOptional: property.isOptional,
            hasRules: !predicates.isEmpty,
            rowSlot: rowSlot)
    }

    package var attribute: NSAttributeDescription? { property as? NSAttributeDescription }
    package var relationship: NSRelationshipDescription? { property as? NSRelationshipDescription }

    fileprivate init(
        _ property: NSPropertyDescription, rowSlot: Int, nextExtraSlot: inout Int, isElement: Bool = false
    ) {
        name = property.name
        self.property = property
        self.rowSlot = rowSlot
        isDerived = property is NSDerivedAttributeDescription
        var entitySlot = -1
        var elements: [PropertySlot] = []
        let kind: SlotKind
        switch property {
        case let relationship as NSRelationshipDescription:
            kind = relationship.isToMany ? .toMany : .toOne
            isOrdered = relationship.isOrdered
            if kind == .toOne, relationship.destinationEntity.map({ !$0.subentities.isEmpty }) ?? false {
                entitySlot = nextExtraSlot
                nextExtraSlot += 1
            }
        case let attribute as NSAttributeDescription:
            kind = SlotKind(attribute.attributeType)
            isOrdered = false
            if let composite = attribute as? NSCompositeAttributeDescription {
                for element in composite.elements {
                    let slot = nextExtraSlot
                    nextExtraSlot += 1
                    elements.append(
                        PropertySlot(
                            element, rowSlot: slot, nextExtraSlot: &nextExtraSlot, isElement: true))
                }
            }
        default:
            kind = .fetched
            isOrdered = false
        }
        self.kind = kind
        inverseIndex =
            (property as? NSRelationshipDescription).flatMap { relationship in
                relationship.inverseRelationship.flatMap { inverse in
                    relationship.destinationEntity?.allProperties.firstIndex { $0 === inverse }
                }
            } ?? -1
        isTransient = property.isTransient || kind == .fetched
        isStored = !isTransient
        self.entitySlot = entitySlot
        isExternal =
            kind == .binary && !isElement
            && (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
        predicates = property.validationPredicates
        self.elements = elements
    }
}

/// The traits that loops over all properties of many objects read: no references, which would have to be counted.
package struct SlotTraits: Sendable {
    package let kind: SlotKind
    package let isStored: Bool
    package let isDerived: Bool
    package let isOptional: Bool
    /// Whether values must fulfil predicates.
    package let hasRules: Bool
    package let rowSlot: Int
}

/// For each slot of a layout, the number of the layout that introduced it. The layout owns the memory.
package struct Declarations: @unchecked Sendable {
    private let numbers: UnsafePointer<UInt32>
    package let count: Int

    fileprivate init(_ numbers: [UInt32]) {
        let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: max(numbers.count, 1))
        memory.initialize(from: numbers, count: numbers.count)
        self.numbers = UnsafePointer(memory)
        count = numbers.count
    }

    fileprivate func deallocate() { numbers.deallocate() }

    package subscript(slot: Int) -> UInt32 {
        @inline(__always)
        get {
            precondition(UInt(bitPattern: slot) < UInt(bitPattern: count), "A layout does not have the slot.")
            return numbers[slot]
        }
    }

    /// Whether a slot exists and was introduced by a layout.
    @inline(__always)
    func has(_ slot: UInt32, from number: UInt32) -> Bool {
        Int(slot) < count && numbers[Int(slot)] == number
    }
}

/// What the runtime knows of an entity: a slot for every property, made once.
///
/// The slots of a subentity begin with those of its superentity, so an index found for one is right for the
/// other. Reading is lock-free; a layout never changes.
package final class EntityLayout: _EntityRuntimeRecord, @unchecked Sendable {
    /// The entity owns its layout; code that needs the entity to live holds a `StoredEntity`.
    package unowned let entity: NSEntityDescription
    package let superlayout: EntityLayout?
    package let slots: [PropertySlot]
    /// Of each slot.
    package let traits: [SlotTraits]
    package let rowSlotCount: Int
    package let indexByName: [String: Int]
    private let classBinding: Atomic<UnsafeRawPointer>
    /// What a new object starts with: default values, nulls and empty to-many relationships.
    package let initialValues: ContiguousArray<SlotValue>
    /// Whether the initial values have no references to count.
    private let hasPlainInitialValues: Bool
    /// Whether a row has all values of an object, so that decoding them yields what was set.
    let isWholeInRows: Bool
    /// Whether a set of slots takes more than one word.
    let hasManySlots: Bool
    /// Whether the properties are numbers alone, all of them stored.
    let hasNumbersAlone: Bool
    /// Slots with a destination to maintain, by index.
    package let relationshipIndexes: [Int]
    package let toManyIndexes: [Int]
    /// The slots of stored links from one to one, which both rows keep.
    package let pairIndexes: [Int]
    package let transientIndexes: [Int]
    package let derivedIndexes: [Int]
    /// The attributes whose data may be in files.
    package let externalSlots: [PropertySlot]
    /// Whether a derived attribute counts or sums up the destinations of a relationship.
    package let sumsUpDestinations: Bool
    /// The default values of transient attributes, which every loaded object starts with.
    package let transientDefaults: [(slot: Int, value: SlotValue)]

    /// For each slot, the number of the layout that introduced it; see `ManagedKey`.
    package let declarations: Declarations

    deinit { declarations.deallocate() }

    private static let creation = NSRecursiveLock()
    private static let lastNumber = Atomic<UInt32>(0)

    /// The layout of an entity; makes it, and the entity's model immutable, at the first call.
    package static func layout(of entity: NSEntityDescription) -> EntityLayout {
        // Nothing else is kept with an entity, and a cast costs more than all else here.
        if let made = entity.runtimeRecord { return unsafeDowncast(made, to: EntityLayout.self) }
        creation.lock()
        defer { creation.unlock() }
        if let made = entity.runtimeRecord as? EntityLayout { return made }
        entity.model?.makeImmutable()
        // A circle of superentities, for which no store is added, has no first layout.
        let superlayout = entity.rootEntity.superentity == nil ? entity.superentity.map(layout(of:)) : nil
        let made = EntityLayout(entity: entity, superlayout: superlayout)
        entity.publish(made)
        return made
    }

    private init(entity: NSEntityDescription, superlayout: EntityLayout?) {
        self.entity = entity
        self.superlayout = superlayout
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue

        var slots: [PropertySlot] = []
        var declarations: [UInt32] = []
        var extra = entity.allProperties.count
        for property in entity.allProperties {
            let index = slots.count
            let inherited = superlayout.map { index < $0.slots.count } ?? false
            declarations.append(inherited ? superlayout?.declarations[index] ?? number : number)
            slots.append(PropertySlot(property, rowSlot: index, nextExtraSlot: &extra))
        }
        self.slots = slots
        traits = slots.map(\.traits)
        hasManySlots = slots.count > UInt64.bitWidth
        rowSlotCount = extra
        self.declarations = Declarations(declarations)
        // No store is added for a model in which an entity has a property twice; its objects, without a store, have the
        // inherited one.
        indexByName = Dictionary(
            slots.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let (objectClass, isCertain) = ManagedObjectClasses.resolve(entity)
        classBinding = Atomic(ClassBinding.retained(objectClass, isCertain: isCertain))
        relationshipIndexes = slots.indices.filter { slots[$0].kind.isRelationship }
        toManyIndexes = slots.indices.filter { slots[$0].kind == .toMany }
        pairIndexes = slots.indices.filter { index in
            slots[index].kind == .toOne && slots[index].isStored
                && slots[index].relationship?.inverseRelationship.map { !$0.isToMany } ?? false
        }
        transientIndexes = slots.indices.filter { slots[$0].isTransient }
        derivedIndexes = slots.indices.filter { slots[$0].isDerived }
        externalSlots = slots.filter(\.isExternal)
        sumsUpDestinations = slots.contains { slot in
            guard case .aggregate = (slot.property as? NSDerivedAttributeDescription)?.derivation else {
                return false
            }
            return true
        }
        initialValues = ContiguousArray(
            slots.map { slot in
                guard let attribute = slot.attribute, let value = attribute.defaultValue else {
                    return slot.kind == .toMany || slot.kind == .fetched ? .unloaded : .null
                }
                return (try? SlotValue(TransformableValue.defaultObject(value, slot), for: slot)) ?? .null
            })
        hasPlainInitialValues = initialValues.allSatisfy { value in
            switch value {
            case .unloaded, .null, .integer, .double: true
            default: false
            }
        }
        isWholeInRows = slots.allSatisfy { slot in
            guard slot.isStored, !slot.isDerived else { return false }
            return switch slot.kind {
            case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .decimal, .string,
                .uuid:
                true
            default: false
            }
        }
        hasNumbersAlone =
            !slots.isEmpty
            && slots.allSatisfy { $0.isStored && ($0.kind.isWholeNumber || $0.kind.isReal) }
        transientDefaults = transientIndexes.compactMap { [initialValues] slot in
            switch initialValues[slot] {
            case .null, .unloaded: nil
            case let value: (slot, value)
            }
        }
        super.init()
    }

    /// The values of a new object: its own copy of the initial ones, since the first value that is set would copy them.
    func newValues() -> ContiguousArray<SlotValue> {
        guard hasPlainInitialValues else { return initialValues }
        return initialValues.withUnsafeBufferPointer { initial in
            ContiguousArray(unsafeUninitializedCapacity: initial.count) { values, count in
                if let source = initial.baseAddress, let target = values.baseAddress {
                    // Their bits are all there is of them.
                    UnsafeMutableRawPointer(target).copyMemory(
                        from: source, byteCount: initial.count * MemoryLayout<SlotValue>.stride)
                }
                count = initial.count
            }
        }
    }

    /// Reads the binding without counting references of it.
    @inline(__always)
    private func bound<Value>(_ body: (ClassBinding) -> Value) -> Value {
        Unmanaged<ClassBinding>.fromOpaque(classBinding.load(ordering: .acquiring))
            ._withUnsafeGuaranteedRef { body($0) }
    }

    /// The class of the entity's objects.
    package var objectClass: NSManagedObject.Type { bound { $0.objectClass } }

    /// Whether the model means this class beyond doubt.
    var isClassCertain: Bool { bound { $0.isCertain } }

    /// What the entity's class registers.
    var classProperties: ClassProperties { bound { $0.properties } }

    /// Whether a class is that of the entity's objects and checks no values of its own.
    @inline(__always)
    func isPlain(_ type: NSManagedObject.Type) -> Bool {
        bound { $0.objectClass == type && !$0.properties.checksValues }
    }

    /// Makes objects of a class from now on, if the model's name means it and it was not certain which class that is.
    ///
    /// - Returns: whether objects of the entity are of the class.
    @discardableResult
    func adopt(_ type: NSManagedObject.Type) -> Bool {
        if objectClass == type { return true }
        guard !isClassCertain, type != NSManagedObject.self, let name = entity.managedObjectClassName,
            ManagedObjectClasses.isNamed(type, name)
        else { return false }
        ManagedObjectClasses.register(type, byHand: false)
        classBinding.store(ClassBinding.retained(type, isCertain: true), ordering: .releasing)
        return true
    }

    /// The slot of the property with this name. O(1).
    package func index(of name: String) -> Int? { indexByName[name] }
}

/// The class of an entity's objects, with what it registers. It lives as long as the program: objects are made of it without a
/// lock.
private final class ClassBinding: Sendable {
    let objectClass: NSManagedObject.Type
    let properties: ClassProperties
    /// Whether the model means this class beyond doubt.
    let isCertain: Bool

    private init(_ objectClass: NSManagedObject.Type, isCertain: Bool) {
        self.objectClass = objectClass
        self.isCertain = isCertain
        properties = ClassProperties.of(objectClass)
    }

    private static let made = Mutex<[ObjectIdentifier: [ClassBinding]]>([:])

    static func retained(_ type: NSManagedObject.Type, isCertain: Bool) -> UnsafeRawPointer {
        // Reading the properties of the class may call this again.
        let binding = ClassBinding(type, isCertain: isCertain)
        let kept = made.withLock { made in
            if let known = made[ObjectIdentifier(type)]?.first(where: { $0.isCertain == isCertain }) {
                return known
            }
            made[ObjectIdentifier(type), default: []].append(binding)
            return binding
        }
        return UnsafeRawPointer(Unmanaged.passUnretained(kept).toOpaque())
    }
}

extension SlotKind {
    package init(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType: self = .integer16
        case .integer32AttributeType: self = .integer32
        case .integer64AttributeType: self = .integer64
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType: self = .binary
        case .transformableAttributeType: self = .transformable
        case .compositeAttributeType: self = .composite
        case .undefinedAttributeType, .objectIDAttributeType: self = .undefined
        }
    }
}
