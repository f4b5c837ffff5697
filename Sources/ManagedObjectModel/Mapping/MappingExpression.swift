import CocoaFoundation

/// The expressions that mapping models consist of.
enum MappingExpression {
    private static var manager: NSExpression { NSExpression(forVariable: "manager") }

    /// The source object.
    static var source: NSExpression { NSExpression(forVariable: "source") }

    /// The value of a property of the source object: `$source.title`.
    static func sourceValue(_ property: String) -> NSExpression {
        NSExpression(kind: .keyPath(operand: source, path: property))
    }

    /// The objects that a mapping made of the given ones:
    /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "BookToBook", …)`.
    static func destinationInstances(ofMappingNamed name: String, from sources: NSExpression) -> NSExpression
    {
        NSExpression(
            forFunction: manager, selectorName: "destinationInstancesForEntityMappingNamed:sourceInstances:",
            arguments: [name, sources])
    }

    /// The objects that any mappings made of the destinations of a relationship of the source object:
    /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "pages", $source.pages)`.
    static func destinationInstances(ofRelationshipNamed name: String) -> NSExpression {
        NSExpression(
            forFunction: manager,
            selectorName: "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
            arguments: [name, sourceValue(name)])
    }

    /// All objects of a source entity that meet a predicate:
    /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Book", "TRUEPREDICATE"), $manager.sourceContext, NO)`.
    static func sourceInstances(ofEntityNamed name: String, predicate: String = "TRUEPREDICATE")
        -> NSExpression
    {
        let request = NSExpression(
            forFunction: manager, selectorName: "fetchRequestForSourceEntityNamed:predicateString:",
            arguments: [name, predicate])
        return NSFetchRequestExpression.expression(
            forFetch: request,
            context: NSExpression(kind: .keyPath(operand: manager, path: "sourceContext")), countOnly: false)
    }
}

extension NSPropertyMapping {
    /// The property of the source object that an inferred mapping takes the value from; nil for a new property.
    package var inferredSourceName: String? {
        guard let valueExpression else { return nil }
        if valueExpression.expressionType == .keyPath { return valueExpression.keyPath }
        guard valueExpression.expressionType == .function, let name = valueExpression.arguments?.first,
            name.expressionType == .constantValue
        else { return nil }
        return name.constantValue as? String
    }
}
