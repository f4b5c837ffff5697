import Foundation

/// Turns values of a `Codable` type into data, and back.
///
/// An addition to Apple's API, with which a transformable attribute holds any Swift value, a structure as well as
/// a class:
///
/// ```swift
/// struct Address: Codable { var street: String; var town: String }
/// let name = CodableTransformer<Address>.register()
/// ```
///
/// Give the attribute the name that ``register(forName:format:)`` returns, before the stack is set up. The value
/// is never boxed in an object: it travels as `Any` and comes out as the type it is, so `as? Address` finds it.
/// Make the type `Equatable` if you can, so that an equal value counts as no change.
///
/// ``transformedValue(_:)`` gives data. Failures are reported by ``ValueTransformer/checkedTransformedValue(_:)``:
/// `CocoaError.coderInvalidValue` for a value of another type or one that cannot be encoded,
/// `CocoaError.coderReadCorrupt` for data that is not an encoded value, with the `EncodingError` or `DecodingError`
/// as the underlying error.
public final class CodableTransformer<Value: Codable>: ValueTransformer {
    /// How values are written.
    public let format: CodableTransformerFormat

    /// Makes a transformer.
    ///
    /// - Parameter format: How values are written.
    public init(format: CodableTransformerFormat = .propertyList) {
        self.format = format
        super.init()
    }

    /// Registers a transformer for the type.
    ///
    /// - Parameters:
    ///   - name: The name to register it under; without one, the type's own name with its module's before it,
    ///     for example `Shop.Address`.
    ///   - format: How values are written.
    /// - Returns: The name.
    @discardableResult
    public static func register(
        forName name: NSValueTransformerName? = nil, format: CodableTransformerFormat = .propertyList
    ) -> NSValueTransformerName {
        let name = name ?? NSValueTransformerName(String(reflecting: Value.self))
        setValueTransformer(CodableTransformer(format: format), forName: name)
        return name
    }

    /// `NSData`.
    public override class func transformedValueClass() -> AnyClass { NSData.self }

    /// `true`.
    public override class func allowsReverseTransformation() -> Bool { true }

    /// The data of a value.
    public override func transformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let typed = value as? Value else {
            let sentence = "A value of the type \(type(of: value)) is not one of the type \(Value.self)."
            return transformationFailed(with: CocoaError.coding(.coderInvalidValue, sentence))
        }
        do {
            return try format.encode(typed)
        } catch {
            let sentence = "A value of the type \(Value.self) cannot be encoded."
            return transformationFailed(
                with: CocoaError.coding(.coderInvalidValue, sentence, underlying: error))
        }
    }

    /// The value that data was made from.
    public override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let data = value as? Data else {
            let sentence = "An encoded value must be data, not a value of the type \(type(of: value))."
            return transformationFailed(with: CocoaError.coding(.coderInvalidValue, sentence))
        }
        do {
            return try format.decode(Value.self, from: data)
        } catch {
            let sentence = "The data is not an encoded value of the type \(Value.self)."
            return transformationFailed(
                with: CocoaError.coding(.coderReadCorrupt, sentence, underlying: error))
        }
    }
}

/// The encoding in which a ``CodableTransformer`` writes values. Choose it once: data of one format is an error for a transformer of the
/// other, so a store that has values keeps its format.
public enum CodableTransformerFormat: Sendable {
    /// A binary property list: small, and exact for numbers and dates.
    case propertyList
    /// JSON, its keys sorted: readable in the store by any tool.
    case json

    /// The most that a property list may be nested. `JSONDecoder` has a limit of its own.
    private static let maximumDepth = 256

    fileprivate func encode(_ value: some Encodable) throws -> Data {
        switch self {
        case .propertyList:
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            // A property list's outermost object is a container, so that a number alone needs one around it.
            return try encoder.encode([value])
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(value)
        }
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        switch self {
        case .propertyList:
            // The decoder follows references wherever they lead; the store's data may come from anyone.
            try BinaryPropertyList(data).checkTree(
                maximumDepth: Self.maximumDepth, maximumWeight: KeyedArchiveReader.maximumWeight)
            let values = try PropertyListDecoder().decode([Value].self, from: data)
            guard values.count == 1, let value = values.first else {
                throw MalformedPropertyList("it holds \(values.count) values, not one")
            }
            return value
        case .json:
            return try JSONDecoder().decode(type, from: data)
        }
    }
}
