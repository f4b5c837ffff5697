import Foundation

/// A class that archives an object of every kind of field.
final class Palette: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let name: String
    let count: Int
    let ratio: Double
    let isDark: Bool
    let price: NSDecimalNumber
    let shades: [Shade]
    let bytes: [UInt8]

    init(name: String, shades: [Shade], bytes: [UInt8] = [1, 2, 3]) {
        self.name = name
        self.shades = shades
        self.bytes = bytes
        count = shades.count
        ratio = 0.25
        isDark = true
        price = NSDecimalNumber(string: "12.50")
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name"),
            let price = coder.decodeObject(of: NSDecimalNumber.self, forKey: "price"),
            let shades = coder.decodeObject(of: [NSArray.self, Shade.self], forKey: "shades") as? [Shade]
        else { return nil }
        self.name = name as String
        self.price = price
        self.shades = shades
        count = coder.decodeInteger(forKey: "count")
        ratio = coder.decodeDouble(forKey: "ratio")
        isDark = coder.decodeBool(forKey: "dark")
        bytes = coder.withDecodedUnsafeBufferPointer(forKey: "bytes") { $0.map(Array.init) ?? [] }
    }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(price, forKey: "price")
        coder.encode(shades, forKey: "shades")
        coder.encode(count, forKey: "count")
        coder.encode(ratio, forKey: "ratio")
        coder.encode(isDark, forKey: "dark")
        bytes.withUnsafeBufferPointer {
            coder.encodeBytes($0.baseAddress, length: $0.count, forKey: "bytes")
        }
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Palette else { return false }
        return (name, count, ratio, isDark) == (other.name, other.count, other.ratio, other.isDark)
            && price == other.price && shades == other.shades && bytes == other.bytes
    }
}

/// A class inside another one's archive.
class Shade: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let white: Double

    init(white: Double) { self.white = white }

    required init?(coder: NSCoder) { white = coder.decodeDouble(forKey: "white") }

    func encode(with coder: NSCoder) { coder.encode(white, forKey: "white") }

    override func isEqual(_ object: Any?) -> Bool { (object as? Shade)?.white == white }

    override var hash: Int { white.hashValue }
}

/// A class with two collections of different elements.
final class Swatch: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let shades: NSArray
    let names: NSArray

    init(shades: NSArray, names: NSArray) {
        self.shades = shades
        self.names = names
    }

    init?(coder: NSCoder) {
        guard
            let shades = coder.decodeObject(of: [NSArray.self, Shade.self], forKey: "shades") as? NSArray,
            let names = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "names") as? NSArray
        else { return nil }
        self.shades = shades
        self.names = names
    }

    func encode(with coder: NSCoder) {
        coder.encode(shades, forKey: "shades")
        coder.encode(names, forKey: "names")
    }
}

/// A subclass, which passes where its superclass is allowed.
final class DeepShade: Shade {}

/// A class that is archived, but not securely.
final class InsecureNote: NSObject, NSCoding {
    override init() {}

    init?(coder: NSCoder) {}

    func encode(with coder: NSCoder) {}
}

/// A class that claims to support secure coding, and decodes values as old classes do.
final class UnkeyedNote: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() {}

    init?(coder: NSCoder) { _ = coder.decodeObject() }

    func encode(with coder: NSCoder) { coder.encode("text") }
}
