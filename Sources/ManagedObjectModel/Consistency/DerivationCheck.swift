import CocoaFoundation

/// The search for a mistake in the expression of a derived attribute.
struct DerivationCheck {
    /// What is wrong, in a sentence; `nil` if nothing is.
    let problem: String?

    init(_ attribute: NSDerivedAttributeDescription, in entity: NSEntityDescription) {
        guard attribute.derivationExpression != nil else {
            problem = "the derivation expression is missing"
            return
        }
        guard let derivation = attribute.derivation else {
            problem =
                "a store cannot compute it; it must be a key path, "
                + "canonical:, uppercase: or lowercase: of a key path, a to-many relationship with a terminal operator "
                + "such as pages.@count, or now()"
            return
        }
        switch derivation {
        case .now:
            problem = nil
        case .value(let keyPath):
            problem = Self.problem(ofValueAt: keyPath, from: entity)
        case .text(_, let keyPath):
            problem =
                Self.problem(ofValueAt: keyPath, from: entity)
                ?? Self.problem(ofTextAt: keyPath, from: entity)
        case .aggregate(let aggregate, let keyPath):
            problem = Self.problem(of: aggregate, at: keyPath, from: entity)
        }
    }

    private static func problem(ofValueAt keyPath: String, from entity: NSEntityDescription) -> String? {
        switch entity.walk(keyPath) {
        case .attribute(let attribute, toMany: nil):
            attribute.isTransient ? "'\(keyPath)' is transient" : nil
        case .attribute(_, toMany: let relationship?):
            "'\(keyPath)' crosses the to-many relationship '\(relationship.name)'"
        case .relationship:
            "'\(keyPath)' is a relationship; a derivation needs an attribute or a terminal operator"
        case .missing(let name, let holder):
            "'\(keyPath)': '\(holder)' has no property '\(name)'"
        }
    }

    private static func problem(ofTextAt keyPath: String, from entity: NSEntityDescription) -> String? {
        guard case .attribute(let attribute, _) = entity.walk(keyPath),
            attribute.attributeType != .stringAttributeType
        else { return nil }
        return "'\(keyPath)' is not a string"
    }

    private static func problem(
        of aggregate: Derivation.Aggregate, at keyPath: String, from entity: NSEntityDescription
    ) -> String? {
        switch entity.walk(keyPath) {
        case .missing(let name, let holder):
            return "'\(keyPath)': '\(holder)' has no property '\(name)'"
        case .relationship(let relationship):
            guard relationship.isToMany else { return "'\(keyPath)' is not a to-many relationship" }
            return aggregate == .count ? nil : "\(aggregate.rawValue) needs an attribute of '\(keyPath)'"
        case .attribute(let attribute, let toMany):
            guard toMany != nil else { return "'\(keyPath)' does not cross a to-many relationship" }
            if aggregate == .count { return "@count must follow a to-many relationship" }
            let isDate = attribute.attributeType == .dateAttributeType
            let takesDates = aggregate == .minimum || aggregate == .maximum
            return attribute.attributeType.isNumeric || (isDate && takesDates)
                ? nil : "'\(keyPath)' is not a number"
        }
    }
}
