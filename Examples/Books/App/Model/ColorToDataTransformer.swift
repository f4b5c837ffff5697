import CoreData

extension NSValueTransformerName {
    /// The name under which the model asks for the transformer of `tintColor`.
    static let colorToDataTransformer = NSValueTransformerName("ColorToDataTransformer")
}

/// Turns the archive of a tint colour into the colour, and back.
final class ColorToDataTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { [TintColor.self] }

    override class func transformedValueClass() -> AnyClass { TintColor.self }
}
