/// A value as key-value coding gives it: a number of Swift's as an `NSNumber`, which casts to every number type that
/// holds it, as on Apple's platforms. Others are as they were.
///
/// `1 as Any` casts to `Int` alone; the number in a box casts to `Double`, `Int16` and `Bool`, too.
package func boxedNumber(_ value: Any) -> Any {
    // Types are compared one by one: casts are slow.
    let type = type(of: value)
    if type == Int.self, let number = value as? Int { return NSNumber(value: number) }
    if type == Bool.self, let flag = value as? Bool { return NSNumber(value: flag) }
    if type == Double.self, let number = value as? Double { return NSNumber(value: number) }
    if type == String.self { return value }
    switch value {
    // Foundation's own is one of these casts, too.
    case _ where type is AnyObject.Type: return value
    case let number as Decimal: return NSDecimalNumber(decimal: number)
    case let number as Float: return NSNumber(value: number)
    case let number as Int64: return NSNumber(value: number)
    case let number as Int32: return NSNumber(value: number)
    case let number as Int16: return NSNumber(value: number)
    case let number as Int8: return NSNumber(value: number)
    case let number as UInt: return NSNumber(value: number)
    case let number as UInt64: return NSNumber(value: number)
    case let number as UInt32: return NSNumber(value: number)
    case let number as UInt16: return NSNumber(value: number)
    case let number as UInt8: return NSNumber(value: number)
    default: return value
    }
}
