import CocoaFoundation

/// What the expression of a derived attribute means, in the forms that a store can compute.
package enum Derivation: Equatable, Sendable {
    /// The time of the save.
    case now
    /// The value at a key path of attributes and to-one relationships.
    case value(keyPath: String)
    /// The text at such a key path, in another form.
    case text(TextForm, keyPath: String)
    /// A number that sums up the destinations of a to-many relationship.
    case aggregate(Aggregate, keyPath: String)

    /// The forms of a string that can be derived.
    package enum TextForm: String, Sendable {
        /// Without the differences of case and diacritics.
        case canonical = "canonical:"
        case uppercase = "uppercase:"
        case lowercase = "lowercase:"
    }

    /// The functions over a to-many relationship that can be derived. The raw value is the key path operator.
    package enum Aggregate: String, Sendable {
        case count = "@count"
        case sum = "@sum"
        case minimum = "@min"
        case maximum = "@max"
        case average = "@avg"

        /// The name of the function that Apple's model compiler writes for the operator.
        package var functionName: String {
            switch self {
            case .count: "count:"
            case .sum: "sum:"
            case .minimum: "min:"
            case .maximum: "max:"
            case .average: "average:"
            }
        }

        init?(functionName: String) {
            let all: [Aggregate] = [.count, .sum, .minimum, .maximum, .average]
            guard let aggregate = all.first(where: { $0.functionName == functionName }) else { return nil }
            self = aggregate
        }
    }

    /// Finds the meaning of an expression; `nil` if a store cannot compute it.
    ///
    /// An aggregate is understood as key path (`pages.@count`) and as function (`count:(pages)`): the model
    /// editor writes the former and Apple's model compiler turns it into the latter.
    package init?(_ expression: NSExpression) {
        switch expression.kind {
        case .keyPath(let operand, let path):
            guard case .evaluatedObject = operand.kind else { return nil }
            self.init(keyPath: path)
        case .function(_, let name, let arguments):
            self.init(function: name, arguments: arguments)
        default:
            return nil
        }
    }

    private init?(keyPath: String) {
        let components = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = components.last, !components.dropLast().contains(where: { $0.hasPrefix("@") })
        else { return nil }
        if last.hasPrefix("@") {
            guard let aggregate = Aggregate(rawValue: String(last)), components.count > 1 else { return nil }
            self = .aggregate(aggregate, keyPath: components.dropLast().joined(separator: "."))
        } else {
            self = .value(keyPath: keyPath)
        }
    }

    private init?(function: String, arguments: [NSExpression]) {
        if function == "now" || function == "now:" {
            guard arguments.isEmpty else { return nil }
            self = .now
            return
        }
        guard arguments.count == 1, let argument = Derivation(arguments[0]),
            case .value(let keyPath) = argument
        else { return nil }
        if let form = TextForm(rawValue: function) {
            self = .text(form, keyPath: keyPath)
        } else if let aggregate = Aggregate(functionName: function) {
            self = .aggregate(aggregate, keyPath: keyPath)
        } else {
            return nil
        }
    }
}
