import Foundation

/// The colour of a book's spine: a class of the app's own, kept by a transformable attribute.
final class TintColor: NSObject, NSSecureCoding, Sendable {
    let red: Double
    let green: Double
    let blue: Double

    /// A colour; components are between 0 and 1.
    init(red: Double, green: Double, blue: Double) {
        func component(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
        self.red = component(red)
        self.green = component(green)
        self.blue = component(blue)
    }

    /// A colour as the web writes it: `#` and six hexadecimal digits.
    convenience init?(hex: String) {
        guard hex.utf8.count == 7, hex.first == "#", let number = UInt32(hex.dropFirst(), radix: 16),
            hex.utf8.dropFirst().allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        self.init(
            red: Double(number >> 16 & 0xFF) / 255, green: Double(number >> 8 & 0xFF) / 255,
            blue: Double(number & 0xFF) / 255)
    }

    /// A calm colour of the spine of a book of this title; always the same one for the same title.
    convenience init(title: String) {
        // FNV-1a: Swift's own hashes differ from run to run.
        var hash: UInt32 = 2_166_136_261
        for byte in title.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let hue = Double(hash % 360)
        let saturation = 0.34 + Double((hash >> 9) % 5) * 0.06
        let lightness = 0.36 + Double((hash >> 17) % 5) * 0.045
        self.init(hue: hue, saturation: saturation, lightness: lightness)
    }

    private convenience init(hue: Double, saturation: Double, lightness: Double) {
        let chroma = (1 - abs(2 * lightness - 1)) * saturation
        func component(_ offset: Double) -> Double {
            let place = (offset + hue / 30).truncatingRemainder(dividingBy: 12)
            return lightness - chroma / 2 * max(-1, min(place - 3, 9 - place, 1))
        }
        self.init(red: component(0), green: component(8), blue: component(4))
    }

    /// The colour as the web writes it.
    var hex: String {
        "#"
            + [red, green, blue].map { component in
                let digits = String(Int((component * 255).rounded()), radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
    }

    // MARK: Archiving

    private enum Key {
        static let red = "red"
        static let green = "green"
        static let blue = "blue"
    }

    static let supportsSecureCoding = true

    convenience init?(coder: NSCoder) {
        guard [Key.red, Key.green, Key.blue].allSatisfy(coder.containsValue(forKey:)) else { return nil }
        self.init(
            red: coder.decodeDouble(forKey: Key.red), green: coder.decodeDouble(forKey: Key.green),
            blue: coder.decodeDouble(forKey: Key.blue))
    }

    func encode(with coder: NSCoder) {
        coder.encode(red, forKey: Key.red)
        coder.encode(green, forKey: Key.green)
        coder.encode(blue, forKey: Key.blue)
    }

    // MARK: Equality

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TintColor else { return false }
        return red == other.red && green == other.green && blue == other.blue
    }

    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(red)
        hasher.combine(green)
        hasher.combine(blue)
        return hasher.finalize()
    }
}
