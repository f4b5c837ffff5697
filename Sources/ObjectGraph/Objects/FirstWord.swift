/// The first word of an existential: the reference, when it holds an object of a class.
@inline(__always)
func firstWord(of any: Any?) -> UInt {
    withUnsafeBytes(of: any) { $0.load(as: UInt.self) }
}
