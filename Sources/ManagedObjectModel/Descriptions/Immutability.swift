import CocoaFoundation

/// Stops the program if a description is about to change although its model is in use.
///
/// - Parameters:
///   - property: the name of what is about to be set.
///   - subject: the description, in words, such as "entity 'Book'".
///   - isImmutable: whether the model is in use.
func refuseChange(
    of property: String, in subject: @autoclosure () -> String, if isImmutable: Bool
) {
    // Not a precondition, whose message is left out of an optimised build.
    guard isImmutable else { return }
    fatalError(
        "Can't modify an immutable model: '\(property)' of \(subject()) was set while the model is in use; "
            + "change a copy of it instead")
}
