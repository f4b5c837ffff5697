import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSManagedObject {
    enum SaveEvent {
        case insert, update
    }

    /// Checks every property: the model's constraints and the class's own, in the order of the entity.
    final func validateProperties(event: SaveEvent) throws {
        let isPlain = layoutPointer._withUnsafeGuaranteedRef {
            $0.isPlain(type(of: self) as NSManagedObject.Type)
        }
        var unsure: PropertySet?
        if isPlain || !ClassProperties.of(self).checksValues {
            let found = layoutPointer._withUnsafeGuaranteedRef { unsureSlots($0) }
            if found.isEmpty { return }
            unsure = found
        }
        let checksValues = unsure == nil
        let layout = layout
        var errors: [any Error] = []
        for slot in layout.traits.indices {
            if let unsure, !unsure.contains(slot) { continue }
            let info = layout.slots[slot]
            guard info.kind != .fetched else { continue }
            // An unchanged relationship of a saved object is as valid as it was.
            if event == .update, info.kind.isRelationship, !touched.contains(slot) { continue }
            if info.kind == .toMany, !needsMembers(slot, callsClass: checksValues) { continue }
            do {
                try validateProperty(at: slot)
            } catch {
                errors.append(error)
            }
        }
        try ValidationErrors.throwIfAny(errors)
    }

    /// The slots whose values are to be checked one by one; the model accepts the others for certain.
    private final func unsureSlots(_ layout: EntityLayout) -> PropertySet {
        var unsure = PropertySet()
        // Runs no code but this, so the object keeps its row.
        let row = rowPointer
        layout.traits.withUnsafeBufferPointer { traits in
            values.withUnsafeBufferPointer { values in
                for slot in traits.indices {
                    if traits[slot].hasRules || !Self.isSurelyValid(slot, values, traits[slot], row) {
                        unsure.insert(slot)
                    }
                }
            }
        }
        return unsure
    }

    /// Whether the model accepts a loaded value of the object; false is inconclusive.
    @inline(__always)
    private static func isSurelyValid(
        _ slot: Int, _ values: UnsafeBufferPointer<SlotValue>, _ traits: SlotTraits,
        _ row: RowPointer?
    ) -> Bool {
        guard slot < values.count else { return isSurelyValid(row, traits) }
        switch values[slot] {
        case .integer, .string, .uuid, .url, .data: return true
        case .object(let destination): return traits.isOptional || !destination.isDeleted
        // A store cannot keep a NaN.
        case .double(let number): return traits.isOptional || !number.isNaN
        case .decimal: return true
        case .null: return traits.isOptional && traits.kind != .toMany
        case .unloaded: return isSurelyValid(row, traits)
        case .toMany, .boxed: return false
        }
    }

    @inline(__always)
    private static func isSurelyValid(_ row: RowPointer?, _ traits: SlotTraits) -> Bool {
        guard traits.isStored, let row else { return false }
        switch traits.kind {
        case .integer16, .integer32, .integer64, .boolean, .string, .uuid:
            return traits.isOptional || !row.isNull(traits.rowSlot)
        default: return false
        }
    }

    /// Whether a to-many relationship must be loaded to be checked. Without limits any set of members is valid, and
    /// a save that adds a book to an author need not read all the author's books.
    ///
    /// - Parameter callsClass: whether the class validates too, with the loaded members.
    private final func needsMembers(_ slot: Int, callsClass: Bool) -> Bool {
        let info = layout.slots[slot]
        guard let relationship = info.relationship, relationship.isOptional,
            ClassProperties.of(self).validators[info.name] == nil
        else { return true }
        if relationship.minCount > 0 || relationship.maxCount > 0 { return true }
        // A new object is known from here on to have none.
        return toMany(at: slot).isLoaded && (callsClass || layout.traits[slot].hasRules)
    }

    /// Checks a property's value by `validateValue(_:forKey:)`, and adopts its replacement.
    private final func validateProperty(at slot: Int) throws {
        let offer = CandidateValue(self, slot)
        var value = offer.boxed
        let outer = context?.session.candidate
        context?.session.candidate = offer
        defer { context?.session.candidate = outer }
        try validateValue(&value, forKey: layout.slots[slot].name)
        if !offer.isUnchanged(value), !isSame(offer.boxed, value) {
            setValue(value, forKey: layout.slots[slot].name)
        }
    }

    private final func isSame(_ a: Any?, _ b: Any?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        // Canonically equivalent strings are different values to a store.
        if let a = a as? String, let b = b as? String { return a.utf8.elementsEqual(b.utf8) }
        if type(of: a) is AnyClass, a as AnyObject === b as AnyObject { return true }
        return ValueTransformer.areEqual(a, b)
    }

    /// Checks a value against the model.
    final func validateModelConstraints(_ value: inout Any?, forKey key: String) throws {
        if let offer = context?.session.candidate, offer.object === self,
            layout.slots[offer.slot].name == key,
            offer.isUnchanged(value)
        {
            return try validate(offer)
        }
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        let info = layout.slots[slot]
        if let present = value, isNull(present) { value = nil }
        if info.kind == .toMany {
            try validateCount(value, info)
            return
        }
        guard let present = value, info.property.isOptional || !isAbsence(present) else {
            try validateAbsence(info)
            return
        }
        if !info.kind.isRelationship, info.kind != .undefined {
            _ = try SlotValue(present, for: info, of: self)
        }
        try validatePredicates(present, info)
    }

    /// Checks the object's own value, which has the attribute's type, so that its type is not looked up again.
    private final func validate(_ offer: CandidateValue) throws {
        let info = layout.slots[offer.slot]
        switch offer.value {
        case .null: return try validateAbsence(info)
        case .object(let destination) where destination.isDeleted && !info.property.isOptional:
            return try validateAbsence(info)
        // A store cannot keep a NaN.
        case .double(let number) where number.isNaN && !info.property.isOptional:
            return try validateAbsence(info)
        default: break
        }
        if !info.predicates.isEmpty, let boxed = offer.boxed { try validatePredicates(boxed, info) }
    }

    /// Whether a store cannot keep a value: a NaN, or a link to a deleted object.
    private final func isAbsence(_ value: Any) -> Bool {
        switch value {
        case let object as NSManagedObject: object.isDeleted
        case is NSDecimalNumber: false
        case let number as NSNumber: number.doubleValue.isNaN
        case let date as Date: date.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }

    private final func validateAbsence(_ info: PropertySlot) throws {
        guard !info.property.isOptional, info.kind != .fetched else { return }
        let hint =
            info.isDerived
            ? """
             A derived attribute is computed when the object is saved, so before its first save it has no value: make \
            it optional, or give it one in awakeFromInsert() with setPrimitiveValue(_:forKey:).
            """ : ""
        throw ValidationErrors.error(
            NSValidationMissingMandatoryPropertyError, self, key: info.name, value: nil,
            sentence: "\(info.name) is a required value.\(hint)")
    }

    private final func validateCount(_ value: Any?, _ info: PropertySlot) throws {
        guard let relationship = info.relationship else { return }
        let count = (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0
        // Only the minimum count requires members: without one, an empty relationship is valid.
        if count == 0, relationship.isOptional { return }
        if count < relationship.minCount {
            throw ValidationErrors.error(
                NSValidationRelationshipLacksMinimumCountError, self, key: info.name, value: value,
                sentence: "Too few items in \(info.name): \(count), not \(relationship.minCount) or more.")
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            throw ValidationErrors.error(
                NSValidationRelationshipExceedsMaximumCountError, self, key: info.name, value: value,
                sentence: "Too many items in \(info.name): \(count), not \(relationship.maxCount) or fewer.")
        }
    }

    private final func validatePredicates(_ value: Any, _ info: PropertySlot) throws {
        for (index, predicate) in info.predicates.enumerated()
        where !predicate.evaluate(with: value) {
            let warnings = info.property.validationWarnings
            let warning = index < warnings.count ? warnings[index] : nil
            // The model editor's own limits carry the code of their error; predicates of the application carry a message.
            if let code = (warning as? NSNumber)?.intValue ?? (warning as? String).flatMap(Int.init) {
                throw ValidationErrors.error(
                    code, self, key: info.name, value: value, predicate: predicate,
                    sentence: Self.sentence(code, info.name, predicate))
            }
            throw ValidationErrors.error(
                NSManagedObjectValidationError, self, key: info.name, value: value, predicate: predicate,
                sentence: warning as? String ?? "\(info.name) is not valid.")
        }
    }

    private static func sentence(_ code: Int, _ name: String, _ predicate: NSPredicate) -> String {
        let limit = predicate.limitText.map { ": \($0)" } ?? ""
        return switch code {
        case NSValidationNumberTooLargeError: "\(name) is too large. The largest value is\(limit)."
        case NSValidationNumberTooSmallError: "\(name) is too small. The smallest value is\(limit)."
        case NSValidationDateTooLateError: "\(name) is too late. The latest date is\(limit)."
        case NSValidationDateTooSoonError: "\(name) is too early. The earliest date is\(limit)."
        case NSValidationStringTooLongError: "\(name) is too long. The greatest length is\(limit)."
        case NSValidationStringTooShortError: "\(name) is too short. The least length is\(limit)."
        case NSValidationStringPatternMatchingError: "\(name) does not match the pattern\(limit)."
        default: "\(name) is not valid."
        }
    }

    /// Checks the rule Deny.
    final func validateDeletion() throws {
        var errors: [NSError] = []
        for slot in layout.relationshipIndexes {
            guard let relationship = layout.slots[slot].relationship,
                relationship.deleteRule == .denyDeleteRule
            else { continue }
            try context?.adoptLaterLinks(of: self, at: slot)
            let left = destinations(at: slot).filter {
                !$0.isDeleted && $0.leads(to: self, relationship.inverseRelationship)
            }
            guard !left.isEmpty else { continue }
            errors.append(
                ValidationErrors.error(
                    NSValidationRelationshipDeniedDeleteError, self, key: relationship.name,
                    value: anyValue(at: slot),
                    sentence: "Items cannot be deleted from \(relationship.name): \(left.count) remain."))
        }
        try ValidationErrors.throwIfAny(errors)
    }
}

extension NSPredicate {
    /// The constant of a simple comparison, as a string.
    fileprivate var limitText: String? {
        guard let comparison = self as? NSComparisonPredicate,
            comparison.rightExpression.expressionType == .constantValue
        else { return nil }
        return comparison.rightExpression.constantValue.map { "\($0)" }
    }
}
