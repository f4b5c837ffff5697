import CocoaFoundation
import Synchronization

/// The forms of 256 neighbouring scalars; see `SubstringForm`.
///
/// A scalar's form is what `[cd]` makes of it alone, decomposed, without all scalars of other combining classes than 0: the ones that
/// change places with each other. So the forms of strings that differ in case, marks or composition are mostly the same. U+0000 and a
/// scalar that is not assigned have U+FFFD.
final class ScalarForms: Sendable {
    private static let pages = Mutex<[UInt32: ScalarForms]>([:])
    private static let folding = TextFolding(ignoresCase: true, ignoresMarks: true)

    /// For each scalar where its form begins in `bytes`, and at the end where the last one ends.
    private let starts: [UInt16]
    private let bytes: [UInt8]
    private let areAssigned: [Bool]

    static func page(_ number: UInt32) -> ScalarForms {
        pages.withLock { pages in
            if let page = pages[number] { return page }
            let page = ScalarForms(number)
            pages[number] = page
            return page
        }
    }

    private init(_ number: UInt32) {
        var starts: [UInt16] = []
        var bytes: [UInt8] = []
        var areAssigned: [Bool] = []
        for value in (number << 8)..<((number + 1) << 8) {
            starts.append(UInt16(bytes.count))
            let scalar = Unicode.Scalar(value)
            let isAssigned = scalar.map { $0.properties.generalCategory != .unassigned } ?? false
            areAssigned.append(isAssigned)
            if let scalar, isAssigned, value > 0 {
                bytes += Array(Self.form(of: scalar).utf8)
            } else {
                bytes += Array("\u{FFFD}".utf8)
            }
        }
        starts.append(UInt16(bytes.count))
        self.starts = starts
        self.bytes = bytes
        self.areAssigned = areAssigned
    }

    private static func form(of scalar: Unicode.Scalar) -> String {
        let parts = folding.folded(String(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars
        return String(
            String.UnicodeScalarView(parts.filter { $0.properties.canonicalCombiningClass == .notReordered }))
    }

    /// Adds a scalar's form; says whether the scalar is assigned.
    func append(_ value: UInt32, to form: inout [UInt8]) -> Bool {
        let index = Int(value & 0xFF)
        form.append(contentsOf: bytes[Int(starts[index])..<Int(starts[index + 1])])
        return areAssigned[index]
    }
}
