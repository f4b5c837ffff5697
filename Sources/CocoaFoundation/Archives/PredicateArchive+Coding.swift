extension PredicateArchive {
    /// Lets keyed unarchivers read predicates, expressions and sort descriptors that Apple's framework wrote,
    /// under the names of its classes.
    ///
    /// Foundation finds a class by its name in the archive, and the names of these classes are those of
    /// Foundation's empty shells otherwise.
    package static func registerClassNames() {
        _ = registration
    }

    private static let registration: Void = {
        let expressions = [
            "NSConstantValueExpression", "NSSelfExpression", "NSVariableExpression", "NSKeyPathExpression",
            "NSFunctionExpression", "NSSetExpression", "NSSymbolicExpression",
            "NSVariableAssignmentExpression",
            "NSSubqueryExpression", "NSAggregateExpression", "NSAnyKeyExpression", "NSTernaryExpression",
        ]
        let operators = [
            "NSEqualityPredicateOperator", "NSComparisonPredicateOperator", "NSLikePredicateOperator",
            "NSMatchingPredicateOperator", "NSSubstringPredicateOperator", "NSInPredicateOperator",
            "NSBetweenPredicateOperator", "NSCustomPredicateOperator",
        ]
        for name in expressions { NSKeyedUnarchiver.setClass(NSExpression.self, forClassName: name) }
        for name in operators { NSKeyedUnarchiver.setClass(ArchivedOperator.self, forClassName: name) }
        NSKeyedUnarchiver.setClass(ArchivedKeyPath.self, forClassName: "NSKeyPathSpecifierExpression")
        NSKeyedUnarchiver.setClass(NSComparisonPredicate.self, forClassName: "NSComparisonPredicate")
        NSKeyedUnarchiver.setClass(CompoundPredicate.self, forClassName: "NSCompoundPredicate")
        NSKeyedUnarchiver.setClass(TruePredicate.self, forClassName: "NSTruePredicate")
        NSKeyedUnarchiver.setClass(FalsePredicate.self, forClassName: "NSFalsePredicate")
        NSKeyedUnarchiver.setClass(KeySortDescriptor.self, forClassName: "NSSortDescriptor")
    }()

    /// Writes the fields of an object.
    ///
    /// - Precondition: the object has an archived form, and `coder` is a keyed archiver.
    static func encode(_ object: Any, _ coder: NSCoder) {
        require(coder.allowsKeyedCoding, "Predicates are archived with keyed archivers only")
        guard let record = record(of: object) else {
            fatalError("\(object) cannot be archived: closures have no archived form")
        }
        for (key, value) in record.fields {
            switch value {
            case let flag as Bool where key == "NSNegate": coder.encode(flag, forKey: key)
            case let number as Int where key != "NSConstantValue": coder.encode(number, forKey: key)
            default: coder.encode(archivable(value), forKey: key)
            }
        }
    }

    /// A value as an object that keyed archivers take, predicates as one of our own classes.
    private static func archivable(_ value: Any) -> Any {
        switch value {
        case let predicate as NSPredicate:
            return archivable(predicate)
        case let predicates as [NSPredicate]:
            return NSArray(array: predicates.map(archivable))
        default:
            break
        }
        switch PredicateValue(value) {
        case .text(let text): return TextConstant.archivable(text)
        // The value itself where it bridges: a flag stays one, as in the models of Xcode.
        case .integer(let number): return value as? NSNumber ?? NSNumber(value: number)
        case .unsigned(let number): return NSNumber(value: number)
        case .double(let number):
            return number.rounded() == number ? RealConstant(number) : NSNumber(value: number)
        case .decimal(let number): return DecimalConstant(number)
        case .date(let date): return date as NSDate
        case .data(let data): return data as NSData
        case .uuid(let uuid): return uuid as NSUUID
        case .url(let url): return url as NSURL
        case .collection(let collection): return archivable(collection)
        case .absent: return NSNull()
        case .identity, .other: return value
        }
    }

    private static func archivable(_ collection: any ValueCollection) -> Any {
        let elements = collection.collectionElements.map { archivable($0) }
        switch collection.collectionKind {
        case .set: return NSSet(array: elements)
        case .orderedSet: return NSOrderedSet(array: elements)
        case .array: return NSArray(array: elements)
        case .dictionary:
            guard let dictionary = collection as? [AnyHashable: Any] else { return collection }
            return dictionary.mapValues { archivable($0) } as NSDictionary
        }
    }

    private static func archivable(_ predicate: NSPredicate) -> NSPredicate {
        switch predicate.shape {
        case .value(let value): ConstantPredicate(value: value)
        case .compound(let type, let parts): CompoundPredicate(type: type, subpredicates: parts)
        case .comparison, .opaque: predicate
        }
    }

    /// Reads an expression that is part of another; none when it is nested too deep, as one is that contains itself.
    package static func expression(forKey key: String, _ coder: NSCoder) -> NSExpression? {
        guard coder.allowsKeyedCoding, depth < FormatParser.depthLimit else { return nil }
        return $depth.withValue(depth + 1) { coder.decodeObject(of: NSExpression.self, forKey: key) }
    }

    /// How many objects are being read, each inside the one before.
    @TaskLocal private static var depth = 0

    /// Reads the fields of an object; none when it is nested too deep, as an object is that contains itself.
    static func fields(_ coder: NSCoder) -> [String: Any] {
        guard coder.allowsKeyedCoding, depth < FormatParser.depthLimit else { return [:] }
        return $depth.withValue(depth + 1) { readFields(coder) }
    }

    private static func readFields(_ coder: NSCoder) -> [String: Any] {
        var fields: [String: Any] = [:]
        for key in numberKeys where coder.containsValue(forKey: key) {
            fields[key] = coder.decodeInteger(forKey: key)
        }
        for key in objectKeys where coder.containsValue(forKey: key) {
            fields[key] = coder.decodeObject(of: classes, forKey: key).map(restored)
        }
        return fields
    }

    /// A decoded value with the numbers and strings that are objects of our own in archives.
    private static func restored(_ value: Any) -> Any {
        switch value {
        case let decimal as DecimalConstant: return decimal.value
        case let number as RealConstant: return number.value
        case let text as TextConstant: return text.value
        case let set as NSSet: return holdsConstants(set.allObjects) ? restored(set) : set
        case let set as NSOrderedSet: return holdsConstants(set.array) ? restored(set) : set
        case let array as NSArray: return array.map { restored($0) }
        case let dictionary as [AnyHashable: Any]: return dictionary.mapValues { restored($0) }
        default: return value
        }
    }

    private static func holdsConstants(_ elements: [Any]) -> Bool {
        elements.contains { $0 is DecimalConstant || $0 is RealConstant || $0 is TextConstant }
    }

    private static func restored(_ set: NSSet) -> Any {
        distinctSet(set.allObjects.map { restored($0) })
    }

    private static func restored(_ set: NSOrderedSet) -> Any {
        let elements = set.array.map { restored($0) }
        // Foundation's sets cannot hash a decimal number on Linux, so that none had one when it was archived.
        return elements.contains { $0 is Decimal } ? elements : NSOrderedSet(array: elements)
    }

    private static let numberKeys = [
        "NSExpressionType", "NSOperatorType", "NSModifier", "NSOptions", "NSFlags", "NSCompoundPredicateType",
    ]

    private static let objectKeys = [
        "NSLeftExpression", "NSRightExpression", "NSPredicateOperator", "NSSubpredicates", "NSConstantValue",
        "NSConstantValueClassName",
        "NSVariable", "NSOperand", "NSSelectorName", "NSArguments", "NSKeyPath", "NSCollection",
        "NSPredicate",
        "NSTrueExpression", "NSFalseExpression", "NSExpression", "NSSymbol",
    ]

    /// What the fields may be: predicates, their parts, and the values that have literals.
    private static var classes: [AnyClass] {
        [
            NSExpression.self, NSComparisonPredicate.self, CompoundPredicate.self, ConstantPredicate.self,
            ArchivedKeyPath.self, ArchivedClassName.self, ArchivedOperator.self, DecimalConstant.self,
            RealConstant.self, TextConstant.self, NSString.self, NSNumber.self,
            NSDecimalNumber.self,
            NSDate.self, NSData.self, NSUUID.self, NSURL.self, NSNull.self, NSArray.self, NSSet.self,
            NSOrderedSet.self, NSDictionary.self,
        ]
    }
}
