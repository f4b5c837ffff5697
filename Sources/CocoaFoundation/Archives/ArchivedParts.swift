// Foundation on Linux archives top-level classes only.

/// The path of a key path expression, which is an argument object of its own in archives.
package final class ArchivedKeyPath: NSObject, NSSecureCoding {
    /// The dotted path.
    package let path: String

    package init(_ path: String) { self.path = path }

    package static var supportsSecureCoding: Bool { true }

    package init?(coder: NSCoder) {
        guard let path = TextConstant.text(coder, forKey: "NSKeyPath") else { return nil }
        self.path = path
    }

    package func encode(with coder: NSCoder) { PredicateArchive.encode(self, coder) }
}

/// A constant that is a class, as the receiver of builtin functions is in archives.
package final class ArchivedClassName: NSObject, NSSecureCoding {
    /// The name of the class.
    package let name: String

    package init(_ name: String) { self.name = name }

    package static var supportsSecureCoding: Bool { true }

    package init?(coder: NSCoder) {
        guard let name = TextConstant.text(coder, forKey: "NSConstantValueClassName") else { return nil }
        self.name = name
    }

    package func encode(with coder: NSCoder) { PredicateArchive.encode(self, coder) }
}

/// The operator of a comparison, which is an object of its own in archives.
package final class ArchivedOperator: NSObject, NSSecureCoding {
    let type: NSComparisonPredicate.Operator
    let modifier: NSComparisonPredicate.Modifier
    let options: NSComparisonPredicate.Options

    init(
        _ type: NSComparisonPredicate.Operator, _ modifier: NSComparisonPredicate.Modifier,
        _ options: NSComparisonPredicate.Options
    ) {
        self.type = type
        self.modifier = modifier
        self.options = options
    }

    convenience init?(_ fields: [String: Any]) {
        // Operators of text keep their options as flags.
        guard
            let type = PredicateArchive.number(fields["NSOperatorType"]).flatMap(
                NSComparisonPredicate.Operator.init),
            let modifier = NSComparisonPredicate.Modifier(
                rawValue: PredicateArchive.number(fields["NSModifier"]) ?? 0)
        else { return nil }
        let options =
            PredicateArchive.number(fields["NSOptions"]) ?? PredicateArchive.number(fields["NSFlags"]) ?? 0
        self.init(type, modifier, NSComparisonPredicate.Options(rawValue: options))
    }

    package static var supportsSecureCoding: Bool { true }

    package convenience init?(coder: NSCoder) { self.init(PredicateArchive.fields(coder)) }

    package func encode(with coder: NSCoder) { PredicateArchive.encode(self, coder) }
}

/// A decimal number of an archive: `NSDecimalNumber`, which archivers look up by its hash, has none on Linux.
package final class DecimalConstant: NSObject, NSSecureCoding {
    let value: Decimal

    init(_ value: Decimal) { self.value = value }

    package static var supportsSecureCoding: Bool { true }

    package init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "decimal"),
            let value = Decimal(string: text as String)
        else { return nil }
        self.value = value
    }

    package func encode(with coder: NSCoder) {
        coder.encode(value.description as NSString, forKey: "decimal")
    }
}

/// A whole number of an archive that is a `Double`: its `NSNumber` is equal to that of an integer.
///
/// `NSKeyedArchiver` keeps one of equal objects. The number is a string, because property lists keep one of equal numbers, too.
package final class RealConstant: NSObject, NSSecureCoding {
    let value: Double

    init(_ value: Double) { self.value = value }

    package static var supportsSecureCoding: Bool { true }

    package init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "real"),
            let value = Double(text as String)
        else { return nil }
        self.value = value
    }

    package func encode(with coder: NSCoder) { coder.encode(value.description as NSString, forKey: "real") }
}

/// A string of an archive that is not in the composed form: its `NSString` is equal to that of the one that is.
///
/// `NSKeyedArchiver` keeps one of equal objects, or both, as their hashes fall. The string is its UTF-8, because property lists keep
/// one of equal strings, too.
package final class TextConstant: NSObject, NSSecureCoding {
    let value: String

    init(_ value: String) { self.value = value }

    package static var supportsSecureCoding: Bool { true }

    package init?(coder: NSCoder) {
        guard let bytes = coder.decodeObject(of: NSData.self, forKey: "utf8"),
            let value = String(data: bytes as Data, encoding: .utf8)
        else { return nil }
        self.value = value
    }

    package func encode(with coder: NSCoder) { coder.encode(Data(value.utf8) as NSData, forKey: "utf8") }

    /// A string as an object that no archiver takes for another string.
    static func archivable(_ text: String) -> Any {
        let isComposed =
            text.utf8.allSatisfy { $0 < 0x80 }
            || text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(text.utf8)
        return isComposed ? text as NSString : TextConstant(text)
    }

    /// Reads a string that was archived either way.
    static func text(_ coder: NSCoder, forKey key: String) -> String? {
        let found = coder.decodeObject(of: [NSString.self, TextConstant.self], forKey: key)
        return (found as? TextConstant)?.value ?? found as? String
    }
}
