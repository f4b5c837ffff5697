/// A function of expressions.
package struct BuiltinFunction: Sendable {
    /// The name with colons, as Apple's *NSExpression* lists it.
    package let name: String
    /// How many arguments it takes.
    package let arity: ClosedRange<Int>
    /// The function itself.
    let evaluate: @Sendable ([Any?]) throws -> Any?

    init(_ name: String, _ arity: ClosedRange<Int>, _ evaluate: @escaping @Sendable ([Any?]) throws -> Any?) {
        self.name = name
        self.arity = arity
        self.evaluate = evaluate
    }
}

/// The functions that `NSExpression(forFunction:arguments:)` and the format string know.
///
/// A function of an argument without a value has no value, as in SQL. A function of an argument of a wrong
/// type throws. Functions over many values take one collection or a list of arguments.
package enum FunctionTable {
    /// The name of the class that has the functions in Apple's framework, and is their receiver in archives.
    static let className = "_NSPredicateUtilities"

    /// The function of a name; the colon after the last part may be missing.
    package static func function(named name: String) -> BuiltinFunction? {
        functions[name] ?? functions[name + ":"]
    }

    /// All functions by their names.
    package static let functions: [String: BuiltinFunction] = Dictionary(
        (statistics + arithmetic + bits + texts + others).map { ($0.name, $0) }
    ) { first, _ in first }

    private static let statistics: [BuiltinFunction] = [
        overNumbers("sum:") { Statistics.sum($0).result },
        overNumbers("average:") { Statistics.average($0)?.result },
        overNumbers("median:") { Statistics.median($0)?.result },
        overNumbers("mode:") { Statistics.modes($0).map(\.any) },
        overNumbers("stddev:") { Statistics.standardDeviation($0)?.result },
        overValues("count:") { $0.count },
        overValues("min:") { try Statistics.minimum($0.compactMap(presentValue)) },
        overValues("max:") { try Statistics.maximum($0.compactMap(presentValue)) },
    ]

    private static let arithmetic: [BuiltinFunction] = [
        ofTwoNumbers("add:to:") { $0 + $1 },
        ofTwoNumbers("from:subtract:") { $0 - $1 },
        ofTwoNumbers("multiply:by:") { $0 * $1 },
        ofTwoNumbers("divide:by:") { $0 / $1 },
        ofTwoNumbers("modulus:by:") { $0 % $1 },
        // Zero has no sign in a store.
        ofTwoNumbers("raise:toPower:") { .double(pow($0.double + 0, $1.double)) },
        ofNumber("sqrt:") { .double($0.double.squareRoot()) },
        ofNumber("log:") { .double(log10($0.double)) },
        ofNumber("ln:") { .double(log($0.double)) },
        ofNumber("exp:") { .double(exp($0.double)) },
        ofNumber("floor:") { $0.rounded(.down) },
        ofNumber("ceiling:") { $0.rounded(.up) },
        ofNumber("trunc:") { $0.rounded(.towardZero) },
        ofNumber("abs:") { $0.magnitude },
        BuiltinFunction("random", 0...0) { _ in Double.random(in: 0..<1) },
        ofNumber("randomn:") { .integer(.random(in: 0..<max(1, $0.truncated))) },
    ]

    private static let bits: [BuiltinFunction] = [
        ofTwoNumbers("bitwiseAnd:with:") { .integer($0.truncated & $1.truncated) },
        ofTwoNumbers("bitwiseOr:with:") { .integer($0.truncated | $1.truncated) },
        ofTwoNumbers("bitwiseXor:with:") { .integer($0.truncated ^ $1.truncated) },
        ofTwoNumbers("leftshift:by:") { .integer($0.truncated << $1.truncated) },
        ofTwoNumbers("rightshift:by:") { .integer($0.truncated >> $1.truncated) },
        ofNumber("onesComplement:") { .integer(~$0.truncated) },
    ]

    private static let texts: [BuiltinFunction] = [
        ofText("uppercase:") { TextFunctions.uppercase($0) },
        ofText("lowercase:") { TextFunctions.lowercase($0) },
        ofText("canonical:") { TextFunctions.canonical($0) },
        // UTF-16 code units, as Apple's `NSString.length`.
        ofText("length:") { $0.utf16.count },
    ]

    private static let others: [BuiltinFunction] = [
        BuiltinFunction("now", 0...0) { _ in Date() },
        // A hint for SQL stores, not to use an index.
        BuiltinFunction("noindex:", 1...1) { $0[0] },
        BuiltinFunction("castObject:toType:", 2...2) { arguments in
            guard let typeName = presentValue(arguments[1]) as? String else {
                throw wrongArgument("castObject:toType:", "the name of a type", arguments[1])
            }
            return try ValueConversion.value(arguments[0], ofTypeNamed: typeName)
        },
        BuiltinFunction("objectFrom:withIndex:", 2...2) { try ElementAccess.element(of: $0[0], at: $0[1]) },
        BuiltinFunction("distanceToLocation:fromLocation:", 2...2) { arguments in
            guard let to = presentValue(arguments[0]), let from = presentValue(arguments[1]) else {
                return nil
            }
            return try Location(to).distance(from: Location(from))
        },
    ]

    private static func ofNumber(
        _ name: String, _ body: @escaping @Sendable (Number) -> Number
    ) -> BuiltinFunction {
        BuiltinFunction(name, 1...1) { arguments in
            try number(arguments[0], name).flatMap { body($0).result }
        }
    }

    private static func ofTwoNumbers(
        _ name: String, _ body: @escaping @Sendable (Number, Number) -> Number
    ) -> BuiltinFunction {
        BuiltinFunction(name, 2...2) { arguments in
            let (left, right) = (try number(arguments[0], name), try number(arguments[1], name))
            guard let left, let right else { return nil }
            return body(left, right).result
        }
    }

    private static func ofText(
        _ name: String, _ body: @escaping @Sendable (String) -> Any
    ) -> BuiltinFunction {
        BuiltinFunction(name, 1...1) { arguments in
            switch PredicateValue(arguments[0]) {
            case .absent: nil
            case .text(let text): body(text)
            case .url(let url): body(url.absoluteString)
            default: throw wrongArgument(name, "a string", arguments[0])
            }
        }
    }

    private static func overValues(
        _ name: String, _ body: @escaping @Sendable ([Any]) throws -> Any?
    ) -> BuiltinFunction {
        BuiltinFunction(name, 1...Int.max) { arguments in
            if arguments.count > 1 { return try body(arguments.map { presentValue($0) ?? NSNull() }) }
            guard let value = presentValue(arguments[0]) else { return nil }
            return try body((value as? any ValueCollection)?.collectionElements ?? [value])
        }
    }

    private static func overNumbers(
        _ name: String, _ body: @escaping @Sendable ([Number]) -> Any?
    ) -> BuiltinFunction {
        overValues(name) { values in
            body(try values.compactMap { try number($0, name) })
        }
    }

    private static func number(_ argument: Any?, _ name: String) throws -> Number? {
        guard let value = presentValue(argument) else { return nil }
        guard let number = Number(value) else { throw wrongArgument(name, "a number", value) }
        return number
    }

    static func wrongArgument(_ name: String, _ wanted: String, _ argument: Any?) -> PredicateEvaluationError
    {
        PredicateEvaluationError(
            .values, "The function \(name) takes \(wanted), but got \(described(argument)).")
    }
}

extension BuiltinFunction {
    /// The value for arguments that come from a store, as a store would keep it.
    ///
    /// - Throws: ``PredicateEvaluationError`` for arguments that the function does not take.
    package func resultInStore(_ arguments: [Any?]) throws -> Any? {
        guard arity.contains(arguments.count) else {
            throw PredicateEvaluationError(
                .predicate, "The function \(name) does not take \(arguments.count) arguments.")
        }
        return StoredValue.kept(presentValue(try evaluate(arguments)))
    }
}
