// `NSPredicate(format: "id == %@", id as CVarArg)` compiles on Apple's platforms because values bridge to
// objects. Here the types conform themselves. The parser takes the value out of the `CVarArg`, so that
// predicates need no encoding; it serves `String(format:)`, which takes `%@` as the address of an object.

extension NSObject: @retroactive CVarArg {
    /// The address of the object.
    public var _cVarArgEncoding: [Int] {
        [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
    }
}

extension UUID: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSUUID) }
}

extension Date: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSDate) }
}

extension Data: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSData) }
}

extension URL: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSURL) }
}

extension Decimal: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: NSDecimalNumber(decimal: self)) }
}

extension Array: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSArray) }
}

extension Set: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSSet) }
}

extension Dictionary: @retroactive CVarArg {
    /// The address of a bridged object.
    public var _cVarArgEncoding: [Int] { encoding(of: self as NSDictionary) }
}

/// The address of an object made for this purpose.
///
/// The object is never released: an address has no owner, and Linux has no autorelease pool that would keep
/// the object until the formatting is done.
private func encoding(of object: NSObject) -> [Int] {
    [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}
