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
        self.init(
            lightness: 0.44 + Double((hash >> 17) % 5) * 0.045,
            chroma: 0.055 + Double((hash >> 9) % 5) * 0.014,
            hue: Double(hash % 360))
    }

    /// A colour of the space Oklch, in which equal steps look equal and no hue glares.
    private convenience init(lightness: Double, chroma: Double, hue: Double) {
        let a = chroma * cos(hue * .pi / 180)
        let b = chroma * sin(hue * .pi / 180)
        func cube(_ value: Double) -> Double { value * value * value }
        let long = cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
        let medium = cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
        let short = cube(lightness - 0.0894841775 * a - 1.2914855480 * b)
        func component(_ linear: Double) -> Double {
            linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
        }
        self.init(
            red: component(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
            green: component(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
            blue: component(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short))
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
