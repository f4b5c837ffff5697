import Synchronization

/// What a format string was read as, with gaps for its arguments, so that a condition that differs in these alone is made without
/// reading the string again.
///
/// A string has a template if it is comparisons, joined by logical operators, and each of its arguments is one side of a comparison
/// by itself: nothing else of what the string is read as depends on an argument then.
struct FormatTemplate: @unchecked Sendable {
    // Expressions do not change, so conditions on all threads may share them.

    private enum Side {
        case expression(NSExpression)
        case argument(Token.Argument)
    }

    private indirect enum Part {
        case compound(NSCompoundPredicate.LogicalType, [Part])
        case comparison(
            Side, Side, NSComparisonPredicate.Modifier, NSComparisonPredicate.Operator,
            NSComparisonPredicate.Options)
    }

    private let part: Part

    /// - Parameters:
    ///   - predicate: what the string was read as.
    ///   - arguments: all arguments that the string takes, as they were taken.
    /// - Returns: nil for a string that has no template.
    init?(_ predicate: NSPredicate, _ arguments: FormatArguments) {
        var rest = arguments.made[...]
        guard arguments.areNew, let part = Self.part(predicate, &rest), rest.isEmpty else { return nil }
        self.part = part
    }

    private static func part(
        _ predicate: NSPredicate, _ rest: inout ArraySlice<FormatArguments.Made>
    ) -> Part? {
        if let compound = predicate as? CompoundPredicate {
            var parts: [Part] = []
            for subpredicate in compound.subpredicates {
                guard let part = part(subpredicate, &rest) else { return nil }
                parts.append(part)
            }
            return .compound(compound.compoundPredicateType, parts)
        }
        guard type(of: predicate) == NSComparisonPredicate.self,
            let comparison = predicate as? NSComparisonPredicate
        else { return nil }
        let left = side(comparison.leftExpression, &rest)
        let right = side(comparison.rightExpression, &rest)
        return .comparison(
            left, right, comparison.comparisonPredicateModifier, comparison.predicateOperatorType,
            comparison.options)
    }

    /// The next argument, if the expression is what was made of it; an argument inside of the expression is left over in the end.
    private static func side(
        _ expression: NSExpression, _ rest: inout ArraySlice<FormatArguments.Made>
    ) -> Side {
        guard let next = rest.first, next.expression === expression else { return .expression(expression) }
        rest.removeFirst()
        return .argument(next.specifier)
    }

    /// The condition with arguments; nil if they do not fit the string, or are expressions of the caller, which may be deep: the string
    /// must be read with these.
    func predicate(_ arguments: [Any?]) -> NSPredicate? {
        var arguments = FormatArguments(arguments)
        guard let predicate = try? Self.predicate(part, &arguments), arguments.areNew,
            arguments.taken == arguments.count
        else { return nil }
        return predicate
    }

    private static func predicate(
        _ part: Part, _ arguments: inout FormatArguments
    ) throws(FormatArguments.Failure) -> NSPredicate {
        switch part {
        case .compound(let type, let parts):
            var subpredicates: [NSPredicate] = []
            subpredicates.reserveCapacity(parts.count)
            for part in parts { subpredicates.append(try predicate(part, &arguments)) }
            return CompoundPredicate(type: type, subpredicates: subpredicates)
        case .comparison(let left, let right, let modifier, let type, let options):
            let left = try expression(left, &arguments)
            return NSComparisonPredicate(
                leftExpression: left, rightExpression: try expression(right, &arguments), modifier: modifier,
                type: type, options: options)
        }
    }

    private static func expression(
        _ side: Side, _ arguments: inout FormatArguments
    ) throws(FormatArguments.Failure) -> NSExpression {
        switch side {
        case .expression(let expression): expression
        case .argument(let specifier): try arguments.next(as: specifier)
        }
    }
}

/// The templates of the format strings that were read last.
enum FormatTemplates {
    /// How many strings are kept. Strings made at run time are without number.
    private static let limit = 200
    /// The longest string that is kept, in bytes.
    private static let sizeLimit = 512

    private enum Known {
        case template(FormatTemplate)
        /// The string must be read each time.
        case noTemplate
    }

    private static let known = Mutex<[String: Known]>([:])

    /// The condition that a format string is with its arguments.
    ///
    /// - Throws: `PredicateFormatError`.
    static func predicate(_ format: String, _ arguments: [Any?]) throws -> NSPredicate {
        // Strings that are equal by Unicode's rules may have literals of other scalars, which are other values to a store.
        let isKept = format.utf8.allSatisfy { $0 < 0x80 }
        let known = isKept ? known.withLock { $0[format] } : .noTemplate
        if case .template(let template)? = known, let predicate = template.predicate(arguments) {
            return predicate
        }
        var parser = try FormatParser(format, arguments: arguments, checksPatterns: false)
        let predicate = try parser.parsePredicate()
        if known == nil { add(FormatTemplate(predicate, parser.arguments), format) }
        return predicate
    }

    private static func add(_ template: FormatTemplate?, _ format: String) {
        guard format.utf8.count <= sizeLimit else { return }
        known.withLock { known in
            if known.count >= limit { known = [:] }
            known[format] = template.map(Known.template) ?? .noTemplate
        }
    }
}
