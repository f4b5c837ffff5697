// `NSPredicate(format: "id == %@", id as CVarArg)` compiles on Apple's platforms because values bridge to
// objects. Here the values conform themselves; the parser takes the value out of the `CVarArg`, so that no
// encoding is needed for it. The encoding serves other callers of `CVarArg`.

extension NSObject: @retroactive CVarArg {
    /// The address of the object.
    public var _cVarArgEncoding: [Int] {
        [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
    }
}
