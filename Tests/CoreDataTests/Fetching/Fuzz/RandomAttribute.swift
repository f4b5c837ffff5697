import CoreData
import Foundation
import TestSupport

/// A random attribute with the values that its objects can have.
struct RandomAttribute {
    let name: String
    private let type: NSAttributeDescription.AttributeType
    private let kind: ConditionVocabulary.Kind
    private let pool: [Any]
    private let isOptional: Bool
    private let defaultValue: Any?
    private let isExternal: Bool
    /// Of a composite attribute.
    private let elements: [RandomAttribute]

    init(_ name: String, _ numbers: inout SeededNumbers, depth: Int = 0) {
        self.name = name
        let isComposite = depth < 2 && Int.random(in: 0..<12, using: &numbers) == 0
        let simple = Self.simple
        let choice = simple.randomElement(using: &numbers) ?? simple[0]
        type = isComposite ? .composite : choice.type
        kind = isComposite ? .opaque : choice.kind
        var names = RandomNames.properties.shuffled(using: &numbers)
        var elements: [RandomAttribute] = []
        for _ in 0..<(isComposite ? Int.random(in: 1...3, using: &numbers) : 0) {
            elements.append(RandomAttribute(names.removeLast(), &numbers, depth: depth + 1))
        }
        self.elements = elements
        // An element is as optional as the whole.
        isOptional = depth > 0 || !elements.isEmpty || Int.random(in: 0..<4, using: &numbers) > 0
        let hasDefault =
            depth == 0 && choice.type != .transformable && Int.random(in: 0..<3, using: &numbers) == 0
        // A NaN is nil in a row, which a required attribute must not be.
        let isNullable = isOptional
        pool = isComposite ? [] : choice.pool.filter { isNullable || ($0 as? Double)?.isNaN != true }
        // No model has a default value that is not finite.
        let defaults = pool.filter { ($0 as? Double)?.isFinite ?? ($0 as? Float)?.isFinite ?? true }
        defaultValue = hasDefault ? defaults.randomElement(using: &numbers) : nil
        isExternal = type == .binaryData && depth == 0 && Int.random(in: 0..<5, using: &numbers) == 0
    }

    private typealias Simple = (
        type: NSAttributeDescription.AttributeType, kind: ConditionVocabulary.Kind, pool: [Any]
    )

    /// What an attribute that is not a composite can be: a type, what it is compared with, and its values.
    private static var simple: [Simple] {
        [
            (.integer16, .integer, [-3, 0, 1, 7, Int(Int16.min), Int(Int16.max)] as [Int]),
            (.integer32, .integer, Pools.small), (.integer32, .integer, [0, 1, 2]),
            (.integer64, .hard, Pools.large), (.integer64, .integer, Pools.small),
            (.boolean, .boolean, [true, false]),
            (.double, .real, Pools.doubles), (.double, .real, Pools.wild),
            (.float, .real, [0, -1.5, 3.25, 1] as [Float]),
            (.float, .real, [0, 0.1, -1.5, Float.infinity, Float.leastNonzeroMagnitude] as [Float]),
            (.decimal, .decimal, Pools.decimals), (.string, .text, Pools.texts),
            (.string, .text, Pools.texts), (.string, .text, Pools.texts), (.date, .date, Pools.dates),
            (.uuid, .uuid, Pools.uuids), (.uri, .uri, Pools.urls), (.binaryData, .data, Pools.data),
            (.transformable, .opaque, ["a" as NSString, NSNumber(value: 1)]),
        ]
    }

    // MARK: The model

    func description() -> NSAttributeDescription {
        let made: NSAttributeDescription
        if elements.isEmpty {
            made = attribute(name, type, optional: isOptional, defaultValue: defaultValue)
            made.allowsExternalBinaryDataStorage = isExternal
        } else {
            let composite = NSCompositeAttributeDescription()
            composite.name = name
            composite.elements = elements.map { $0.description() }
            made = composite
        }
        return made
    }

    var text: String {
        guard elements.isEmpty else { return "\(name) {\(elements.map(\.text).joined(separator: ", "))}" }
        return "\(name) \(type)\(isOptional ? "?" : "")\(isExternal ? " external" : "")"
            + (defaultValue.map { " = \($0)" } ?? "")
    }

    /// What conditions can name, from the attribute or its elements.
    func vocabulary(_ prefix: String = "") -> [ConditionVocabulary.Attribute] {
        let path = prefix + RandomNames.key(name)
        guard elements.isEmpty else { return elements.flatMap { $0.vocabulary(path + ".") } }
        return [.init(path: path, kind: isExternal ? .opaque : kind)]
    }

    // MARK: Values

    /// A value for an object, nil in it for none; nil for what is left at its default value.
    func value(_ numbers: inout SeededNumbers) -> Any?? {
        if defaultValue != nil, Int.random(in: 0..<3, using: &numbers) == 0 { return nil }
        if isOptional, Int.random(in: 0..<4, using: &numbers) == 0 { return .some(nil) }
        guard !elements.isEmpty else { return .some(pool.randomElement(using: &numbers)) }
        var values: [String: Any] = [:]
        for element in elements {
            if case .some(.some(let value)) = element.value(&numbers) { values[element.name] = value }
        }
        return .some(values)
    }
}
