import Foundation

extension BinaryPropertyList {
    /// A property list as values of Foundation: `NSNumber`, `String`, `Data`, `Date`, arrays and dictionaries.
    ///
    /// - Parameters:
    ///   - data: the property list in the binary format.
    ///   - maximumDepth: how deep containers may be nested.
    ///   - maximumWeight: how many objects there may be, a shared one counted as often as it is reached.
    /// - Throws: ``MalformedPropertyList`` beyond a limit, and for anything but a dictionary, or for one that holds what a plain property
    ///   list does not: null, sets, references of archives, keys that are not strings.
    package static func dictionary(
        _ data: Data, maximumDepth: Int, maximumWeight: Int
    ) throws -> [String: Any] {
        let list = try BinaryPropertyList(data, maximumObjects: maximumWeight)
        return try list.dictionary(maximumDepth: maximumDepth, maximumWeight: maximumWeight)
    }

    /// The property list, which has been taken apart, as values of Foundation; as `dictionary(_:maximumDepth:maximumWeight:)`.
    package func dictionary(maximumDepth: Int, maximumWeight: Int) throws -> [String: Any] {
        try checkTree(maximumDepth: maximumDepth, maximumWeight: maximumWeight)
        guard let dictionary = try value(at: root) as? [String: Any] else {
            throw MalformedPropertyList("it is not a dictionary")
        }
        return dictionary
    }

    /// The tree was checked, so that the recursion ends within the allowed depth.
    private func value(at index: Int) throws -> Any {
        switch nodes[index] {
        case .boolean(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .unsigned(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): return data
        case .string(let text): return text
        case .array(let elements): return try elements.map(value)
        case .dictionary(let keys, let values):
            var dictionary: [String: Any] = [:]
            dictionary.reserveCapacity(keys.count)
            for (key, value) in zip(keys, values) {
                guard case .string(let name) = nodes[key] else {
                    throw MalformedPropertyList("a key is not a string")
                }
                dictionary[name] = try self.value(at: value)
            }
            return dictionary
        case .null, .set, .identifier:
            throw MalformedPropertyList("it holds an object of an archive")
        }
    }
}
