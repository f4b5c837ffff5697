import Foundation

/// Finds out which classes override `validateValue(_:forKey:)`.
///
/// The method takes its value boxed, so that calling it for each property of each object that is saved costs more than the
/// rest of the save. A class without an override does not need the call. Swift cannot query that; but the method table of a
/// class is in its metadata, where an entry is the superclass's unless the class overrides the method. The offset of the entry
/// is found by comparing a class that overrides it with one that does not. If that does not yield exactly one offset, every
/// class counts as overriding it, which is slower and correct.
enum MethodOverrides {
    static func overridesValueValidation(_ type: NSManagedObject.Type) -> Bool {
        guard let position = valueValidation else { return true }
        return word(position, of: type) != word(position, of: NSManagedObject.self)
    }

    /// The offset in the metadata, in words.
    private static let valueValidation: Int? = {
        #if canImport(ObjectiveC)
        // Metadata have another form there.
        return nil
        #else
        let size = extent(of: NSManagedObject.self)
        guard size == extent(of: Plain.self), size == extent(of: Checking.self) else { return nil }
        let positions = (headerWords..<max(headerWords, size)).filter { position in
            word(position, of: Plain.self) == word(position, of: NSManagedObject.self)
                && word(position, of: Checking.self) != word(position, of: NSManagedObject.self)
        }
        return positions.count == 1 ? positions[0] : nil
        #endif
    }()

    /// Kind, superclass, flags and sizes, description, destroyer of stored properties.
    private static let headerWords = 7

    /// How many words the metadata take from the pointer on.
    private static func extent(of type: NSManagedObject.Type) -> Int {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let size = metadata.load(fromByteOffset: 32, as: UInt32.self)
        let start = metadata.load(fromByteOffset: 36, as: UInt32.self)
        return size > start ? Int(size - start) / MemoryLayout<UInt>.size : 0
    }

    private static func word(_ position: Int, of type: NSManagedObject.Type) -> UInt {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
            .load(fromByteOffset: position * MemoryLayout<UInt>.size, as: UInt.self)
    }

    private final class Plain: NSManagedObject {}

    private final class Checking: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            try super.validateValue(&value, forKey: key)
        }
    }
}
