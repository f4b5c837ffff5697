import CocoaFoundation

/// The settings of an element of a model file, read as what they should be.
///
/// Every mistake is thrown as a `ModelFileError` with the line of the element and the entity and property
/// that it belongs to.
struct ElementSettings {
    let element: ModelElement
    /// The entity, or entity and property.
    let location: String

    init(_ element: ModelElement, in entity: String? = nil) {
        self.element = element
        let name = element["name"] ?? "<\(element.name)>"
        location = entity.map { "\($0).\(name)" } ?? name
    }

    func error(_ reason: ModelFileError.Reason, _ detail: String) -> ModelFileError {
        ModelFileError(reason, detail, element: location, line: element.line)
    }

    /// A string, or `nil` if it is missing or empty.
    func text(_ attribute: String) -> String? {
        element[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A string that has to be there.
    func required(_ attribute: String) throws -> String {
        guard let value = text(attribute) else {
            throw error(.missingValue, "the setting '\(attribute)' of <\(element.name)> is missing")
        }
        return value
    }

    /// Yes or no; `nil` if the setting is missing.
    func flagIfPresent(_ attribute: String) throws -> Bool? {
        guard let value = text(attribute) else { return nil }
        guard let flag = Self.flag(value) else {
            throw error(.invalidValue, "'\(attribute)' is '\(value)'; it must be YES or NO")
        }
        return flag
    }

    /// Yes or no; no if the setting is missing.
    func flag(_ attribute: String) throws -> Bool {
        try flagIfPresent(attribute) ?? false
    }

    /// A number from 0 up that fits 32 bits, as the counts of relationships are hashed and stored.
    func countIfPresent(_ attribute: String) throws -> Int? {
        guard let value = text(attribute) else { return nil }
        guard let number = Int32(value), number >= 0 else {
            throw error(
                .invalidValue, "'\(attribute)' is '\(value)'; it must be a number from 0 to \(Int32.max)")
        }
        return Int(number)
    }

    /// A finite number.
    func numberIfPresent(_ attribute: String) throws -> Double? {
        guard let value = text(attribute) else { return nil }
        guard let number = Double(value), number.isFinite else {
            throw error(.invalidValue, "'\(attribute)' is '\(value)'; it must be a number")
        }
        return number
    }

    static func flag(_ value: String) -> Bool? {
        switch value.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// The entries of the `<userInfo>` in the element; `nil` if it has none.
    func userInfo() throws -> [AnyHashable: Any]? {
        let tables = element.children(named: "userInfo")
        guard !tables.isEmpty else { return nil }
        var info: [AnyHashable: Any] = [:]
        for entry in tables.flatMap({ $0.children(named: "entry") }) {
            guard let key = entry["key"] else {
                throw error(.missingValue, "an entry of the user info has no key")
            }
            guard let value = entry["value"] else {
                throw error(.missingValue, "the entry '\(key)' of the user info has no value")
            }
            guard info.updateValue(value, forKey: key) == nil else {
                throw error(.duplicateName, "the user info has two entries '\(key)'")
            }
        }
        return info
    }
}
