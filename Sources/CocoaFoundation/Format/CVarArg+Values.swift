// `NSPredicate(format: "id == %@", id as CVarArg)` compiles on Apple's platforms because values bridge to
// objects. Here the types conform themselves. The parser takes the value out of the `CVarArg`, so that
// predicates need no encoding. `String(format:)` does: it takes `%@` as the address of an object, and as
// Foundation on Linux cannot describe every object there, each value is encoded as the text that it prints as.
//
// An address has no owner. The list of arguments therefore gets an object from a value to encode in its place,
// `_cVarArgObject`, and keeps that until the formatting is done.

extension NSObject: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the object's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The value's description, whose address is formatted.
    public var _cVarArgObject: any CVarArg { FormattedText(description) }

    /// The address of the value's description.
    public var _cVarArgEncoding: [Int] { unownedEncoding(description) }
}

/// A string that a list of arguments keeps while it is formatted.
private final class FormattedText: CVarArg {
    private let text: NSString

    init(_ text: String) { self.text = NSString(string: text) }

    var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(text).toOpaque())] }
}

/// The address of a string object that is never released, for callers that ask for an address and keep no object. Lists of
/// arguments do not.
private func unownedEncoding(_ text: String) -> [Int] {
    [Int(bitPattern: Unmanaged.passRetained(NSString(string: text)).toOpaque())]
}
