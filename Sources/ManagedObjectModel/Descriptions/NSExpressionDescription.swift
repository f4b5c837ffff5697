import CocoaFoundation

/// The description of a column in the result of a fetch of dictionaries: an expression, its type, and the key (`name`) under which the
/// dictionaries hold the value.
///
/// ```swift
/// let mean = NSExpressionDescription()
/// mean.name = "meanPrice"
/// mean.expression = NSExpression(format: "average:(price)")
/// mean.resultType = .double
/// request.resultType = .dictionaryResultType
/// request.propertiesToFetch = [mean]
/// ```
///
/// It may also be an element of a fetch index, which then is an index over the expression. It is not part of an entity.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// The expression that yields the value.
    open var expression: NSExpression? { willSet { willChange("expression") } }

    /// The type of the value. The default is undefined.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType {
        willSet { willChange("expressionResultType") }
    }

    /// The type of the value, under its short name.
    open var resultType: NSAttributeDescription.AttributeType {
        get { .init(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let description = copy as? NSExpressionDescription {
            description.expression = expression
            description.expressionResultType = expressionResultType
        }
        return copy
    }

    override func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSExpressionDescription else { return false }
        return super.hasSameSettings(as: other)
            && expressionResultType == other.expressionResultType
            && areEqual(expression, other.expression)
    }
}
