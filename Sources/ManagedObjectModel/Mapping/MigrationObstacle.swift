import CocoaFoundation

/// Why the objects of a store cannot be made objects of another model without a decision.
package struct MigrationObstacle: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The entity in the newer model.
    package let entity: String
    /// The property in the newer model.
    package let property: String?
    /// A sentence without a full stop, and without the position.
    package let reason: String

    package var description: String {
        "\([entity, property].compactMap { $0 }.joined(separator: ".")): \(reason)"
    }

    /// The code of `NSInferredMappingModelError`, which the module above gives its name.
    private static let errorCode = CocoaError.Code(rawValue: 134190)

    /// The error of `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)`.
    var error: CocoaError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "Can't find or automatically infer mapping model for migration. "
                + "\(reason).", "reason": reason, "entity": entity,
        ]
        userInfo["property"] = property
        return CocoaError(Self.errorCode, userInfo: userInfo)
    }
}
