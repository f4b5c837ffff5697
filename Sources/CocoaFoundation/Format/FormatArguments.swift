/// The arguments of a format string, taken from left to right.
struct FormatArguments {
    private let values: [Any?]
    private(set) var taken = 0
    /// What was made of the arguments that were taken, in order.
    private(set) var made: [Made] = []
    /// Whether all these expressions were made here, and none is, or has in it, one of the caller's.
    private(set) var areNew = true

    /// What an argument was taken as, and what was made of it.
    struct Made {
        let expression: NSExpression
        let specifier: Token.Argument
    }

    /// What is wrong with an argument.
    struct Failure: Error {
        let reason: String
    }

    init(_ values: [Any?]) {
        self.values = values
    }

    /// How many arguments there are.
    var count: Int { values.count }

    /// The next argument, as the expression that its position in the format string requires.
    mutating func next(as specifier: Token.Argument) throws(Failure) -> NSExpression {
        guard taken < values.count else {
            let given = count == 1 ? "1 is given" : "\(count) are given"
            throw Failure(reason: "There are too few arguments: \(given).")
        }
        let value = presentValue(values[taken])
        taken += 1
        let expression =
            switch specifier {
            case .object: try FormatArguments.object(value)
            case .keyPath: try FormatArguments.keyPath(value)
            case .integer(let letters): try FormatArguments.integer(value, letters)
            case .double(let letters): try FormatArguments.double(value, letters)
            case .cString: try FormatArguments.cString(value)
            }
        switch expression.kind {
        case .constant: break
        case .keyPath where specifier == .keyPath: break
        default: areNew = false
        }
        // A constant of the caller's.
        if value is NSExpression { areNew = false }
        made.append(Made(expression: expression, specifier: specifier))
        return expression
    }

    private static func object(_ value: Any?) throws(Failure) -> NSExpression {
        if let value, isPlain(type(of: value)) { return NSExpression(forConstantValue: value) }
        switch value {
        case let expression as NSExpression:
            return expression
        case is NSPredicate:
            throw Failure(
                reason: "A predicate cannot be an argument; join predicates with NSCompoundPredicate.")
        case let collection as any ValueCollection
        where collection.collectionKind.isOrdered
            && collection.collectionElements.contains { $0 is NSExpression }:
            let elements = collection.collectionElements.map { element in
                element as? NSExpression ?? NSExpression(forConstantValue: element)
            }
            return NSExpression(forAggregate: elements)
        default:
            return NSExpression(forConstantValue: value)
        }
    }

    private static func keyPath(_ value: Any?) throws(Failure) -> NSExpression {
        let path: String
        switch value {
        case let text as String:
            path = text
        case let keyPath as AnyKeyPath:
            guard let name = KeyPathNames.name(of: keyPath) else {
                throw Failure(reason: "No key is registered for the key path \(keyPath).")
            }
            path = name
        default:
            throw Failure(reason: "%K takes a key path as a string, but got \(described(value)).")
        }
        if path.isEmpty || path.hasPrefix(".") || path.hasSuffix(".") || path.contains("..") {
            throw Failure(reason: "The key path \"\(path)\" has an empty key.")
        }
        // Whatever the text has in it: a `$` begins no variable.
        return NSExpression(kind: .keyPath(operand: .expressionForEvaluatedObject(), path: path))
    }

    private static func integer(_ value: Any?, _ letters: String) throws(Failure) -> NSExpression {
        switch PredicateValue(value) {
        case .integer(let number): return NSExpression(forConstantValue: Int(number))
        case .unsigned(let number): return NSExpression(forConstantValue: number)
        default: break
        }
        guard let number = number(value) else {
            throw Failure(reason: "%\(letters) takes a number, but got \(described(value)).")
        }
        return NSExpression(forConstantValue: Int(number.truncated))
    }

    private static func double(_ value: Any?, _ letters: String) throws(Failure) -> NSExpression {
        guard let number = number(value) else {
            throw Failure(reason: "%\(letters) takes a number, but got \(described(value)).")
        }
        return NSExpression(forConstantValue: number.double)
    }

    private static func number(_ value: Any?) -> Number? {
        PredicateValue(value).isNumber ? Number(value) : nil
    }

    private static func cString(_ value: Any?) throws(Failure) -> NSExpression {
        let text: String
        switch value {
        case let string as String: text = string
        case let pointer as UnsafePointer<CChar>: text = String(cString: pointer)
        case let pointer as UnsafeMutablePointer<CChar>: text = String(cString: pointer)
        default: throw Failure(reason: "%s takes a C string, but got \(described(value)).")
        }
        return NSExpression(forConstantValue: text)
    }
}
