// `NSPredicate(format: "id == %@", id as CVarArg)` compiles on Apple's platforms because values bridge to
// objects. Here the types conform themselves. The parser takes the value out of the `CVarArg`, so that
// predicates need no encoding. `String(format:)` does: it takes `%@` as the address of an object, and as
// Foundation on Linux cannot describe every object there, each value is encoded as the text that it prints as.

extension NSObject: @retroactive CVarArg {
    /// The address of the object's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension UUID: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension Date: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension Data: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension URL: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension Decimal: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension Array: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension Set: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

extension Dictionary: @retroactive CVarArg {
    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { encodedText(description) }
}

/// The address of a string object made for this purpose.
///
/// The object is never released: an address has no owner, and Linux has no autorelease pool that would keep
/// the object until the formatting is done.
private func encodedText(_ text: String) -> [Int] {
    [Int(bitPattern: Unmanaged.passRetained(text as NSString).toOpaque())]
}
