/// A part of a predicate that has a value: a constant, a key path, a function call, a collection.
///
/// ```swift
/// let mean = NSExpression(forFunction: "average:", arguments: [NSExpression(forKeyPath: "price")])
/// let double = NSExpression(format: "price * 2")
/// let value = try double.value(with: book)
/// ```
///
/// A fetch of dictionaries computes expressions in the store (`NSExpressionDescription`), a batch update sets attributes to their values.
/// Expressions do not change after they are made. The text form, which `description` gives, is read back by `init(parsing:arguments:)`;
/// that initializer throws a ``PredicateFormatError`` for a string that is not an expression, where `init(format:)` stops the program.
///
/// Foundation on Linux has only the shell of this class, so it is declared here, with Apple's names and raw values.
///
/// - Important: In a file that imports both Foundation and this module the name is ambiguous in type
///   position. Import `CoreData` alone, or write `typealias NSExpression = CoreData.NSExpression` once in
///   the target.
open class NSExpression: NSObject, NSCopying, NSSecureCoding {
    /// The kind of an expression, which says which of its properties have a value: `constantValue` for `.constantValue`, `keyPath` for
    /// `.keyPath`, `function`, `operand` and `arguments` for `.function`. Switch over `expressionType` before you read them: reading a
    /// property that the kind does not have stops the program. The raw values are Apple's.
    public enum ExpressionType: UInt, Sendable {
        /// A value that does not change.
        case constantValue = 0
        /// The object that the predicate is evaluated with: `SELF`.
        case evaluatedObject = 1
        /// A value bound at evaluation: `$name`.
        case variable = 2
        /// A value read from the object by its path: `author.name`.
        case keyPath = 3
        /// The result of a function or of a method.
        case function = 4
        /// All elements of two collections: `a UNION b`.
        case unionSet = 5
        /// The elements that two collections share: `a INTERSECT b`.
        case intersectSet = 6
        /// The elements of one collection that are not in another: `a MINUS b`.
        case minusSet = 7
        /// A variable that is given a value: `$name := expression`. Apple's framework keeps this type private.
        case variableAssignment = 12
        /// The elements of a collection that meet a predicate: `SUBQUERY(items, $x, $x.price > 3)`.
        case subquery = 13
        /// A collection written out: `{1, 2, 3}`.
        case aggregate = 14
        /// Any key, in a Spotlight query: `ANYKEY`.
        case anyKey = 15
        /// A closure's result.
        case block = 19
        /// One of two expressions, by a predicate: `TERNARY(p, a, b)`.
        case conditional = 20
        /// The result of a fetch, made by Core Data's `NSFetchRequestExpression`: `FETCH(…)`.
        ///
        /// Apple declares this value beside that class, as `NSFetchRequestExpressionType`.
        case fetchRequest = 50
    }

    /// The closure of a block expression: the evaluated object, the arguments and the variables go in.
    public typealias Block = (Any?, [NSExpression], NSMutableDictionary?) -> Any

    /// The two-collection operations.
    package enum SetOperation: String, Sendable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"
    }

    /// The words that stand for an index: `[FIRST]`, `[LAST]`, `[SIZE]`.
    package enum Symbol: String, Sendable {
        case first = "FIRST"
        case last = "LAST"
        case size = "SIZE"
    }

    /// What the expression is made of; the SQL generator switches over it.
    package indirect enum Kind {
        case constant(Any?)
        case evaluatedObject
        case variable(String)
        /// `operand` is the evaluated object for a plain `a.b`, and the variable for `$x.a.b`.
        case keyPath(operand: NSExpression, path: String)
        /// A function of ``FunctionTable`` by its name with colons (`add:to:`), or a method of `target`.
        case function(target: NSExpression?, name: String, arguments: [NSExpression])
        case aggregate([NSExpression])
        case set(SetOperation, NSExpression, NSExpression)
        case subquery(NSExpression, variable: String, NSPredicate)
        case assignment(variable: String, NSExpression)
        case block(Block, [NSExpression])
        /// The index of `objectFrom:withIndex:`, where it is a word.
        case symbol(Symbol)
        case anyKey
        case conditional(NSPredicate, NSExpression, NSExpression)
        /// A subclass's own: only its `expressionValue(with:context:)` knows the value.
        case custom(ExpressionType)
    }

    /// What the expression is made of; it changes only when the expression is released.
    @exclusivity(unchecked) package final private(set) var kind: Kind
    /// The components of a key path.
    let steps: KeyPathSteps?

    deinit {
        // One part after the other, and not each inside the one before: code may chain tens of thousands of operators.
        guard kind.isDeep else { return }
        var rest = kind.operands
        kind = .evaluatedObject
        while var next = rest.popLast() {
            guard isKnownUniquelyReferenced(&next) else { continue }
            guard next.kind.isDeep else { continue }
            rest += next.kind.operands
            next.kind = .evaluatedObject
        }
    }

    // Not `package`: the compiler warns of a recursion in the subclasses of other modules then.
    init(destinationsBySource kind: Kind) {
        self.kind = kind
        steps = if case .keyPath(_, let path) = kind { KeyPathSteps(path) } else { nil }
        super.init()
    }

    package convenience init(kind: Kind) {
        self.init(destinationsBySource: kind)
    }

    /// Makes an expression of a given type, for subclasses.
    ///
    /// `.evaluatedObject` and `.anyKey` are complete; with any other type the subclass overrides
    /// ``expressionValue(with:context:)``.
    public init(expressionType type: ExpressionType) {
        kind =
            switch type {
            case .evaluatedObject: .evaluatedObject
            case .anyKey: .anyKey
            default: .custom(type)
            }
        steps = nil
        super.init()
    }

    /// Makes an expression for a value that does not change.
    public convenience init(forConstantValue obj: Any?) {
        self.init(kind: .constant(obj))
    }

    /// Makes an expression for a variable, written without its dollar sign.
    public convenience init(forVariable string: String) {
        self.init(kind: .variable(string))
    }

    /// Makes an expression for a dotted key path of the evaluated object, or of a variable: `owner.name`, `$car.owner.name`.
    public convenience init(forKeyPath keyPath: String) {
        let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("$") else {
            self.init(kind: .keyPath(operand: .expressionForEvaluatedObject(), path: keyPath))
            return
        }
        let variable = NSExpression(forVariable: String(parts[0].dropFirst()))
        self.init(kind: .keyPath(operand: variable, path: String(parts[1])))
    }

    /// Makes an expression for a Swift key path of the evaluated object.
    ///
    /// - Precondition: the key path's name is known to ``KeyPathNames``.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        guard let name = KeyPathNames.name(of: keyPath) else {
            fatalError(
                "No key is registered for \(keyPath); let \(Root.self) conform to KeyPathNaming")
        }
        self.init(forKeyPath: name)
    }

    /// Makes an expression for a function by its name with colons, for example `add:to:` or `now`.
    ///
    /// - Parameters:
    ///   - name: a function's name, of Apple's list in *NSExpression*.
    ///   - parameters: its arguments; an element that is not an expression counts as a constant.
    ///
    /// Whether there is such a function, and whether it takes so many arguments, is checked when the expression is
    /// evaluated; Apple raises an exception here.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        self.init(
            kind: .function(target: nil, name: name, arguments: parameters.map(NSExpression.expression(for:)))
        )
    }

    /// Makes an expression for the result of a method of an object.
    ///
    /// - Parameters:
    ///   - target: the receiver.
    ///   - name: the method's name with colons, as in Objective-C.
    ///   - parameters: its arguments; an element that is not an expression counts as a constant.
    public convenience init(
        forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
    ) {
        let arguments = (parameters ?? []).map(NSExpression.expression(for:))
        self.init(kind: .function(target: target, name: name, arguments: arguments))
    }

    /// Makes an expression for a collection, from expressions for its elements.
    public convenience init(forAggregate subexpressions: [NSExpression]) {
        self.init(kind: .aggregate(subexpressions))
    }

    /// Makes an expression for all elements of two collections.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(kind: .set(.union, left, right))
    }

    /// Makes an expression for the elements that two collections share.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(kind: .set(.intersect, left, right))
    }

    /// Makes an expression for the elements of `left` that are not in `right`.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(kind: .set(.minus, left, right))
    }

    /// Makes an expression for the elements of a collection that meet a predicate.
    ///
    /// - Parameters:
    ///   - expression: the collection.
    ///   - variable: the variable, without its dollar sign, that stands for the element in `predicate`.
    ///   - predicate: what an element must meet.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        self.init(kind: .subquery(expression, variable: variable, predicate))
    }

    /// Makes an expression for one of two values, by a predicate.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        self.init(kind: .conditional(predicate, trueExpression, falseExpression))
    }

    /// Makes an expression for the result of a closure.
    ///
    /// Such an expression has no text form, cannot be archived and is not understood by SQL stores.
    public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
        self.init(kind: .block(block, arguments ?? []))
    }

    /// The expression for the object that the predicate is evaluated with: `SELF`.
    open class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(kind: .evaluatedObject)
    }

    /// The expression for any key of a Spotlight query: `ANYKEY`.
    open class func expressionForAnyKey() -> NSExpression {
        NSExpression(kind: .anyKey)
    }

    /// An argument as an expression: itself, or a constant.
    private static func expression(for argument: Any) -> NSExpression {
        argument as? NSExpression ?? NSExpression(forConstantValue: argument)
    }

    /// The value of the expression for an object.
    ///
    /// - Parameters:
    ///   - object: the object that key paths start from.
    ///   - context: the values of variables, by name without the dollar sign; an assignment writes here.
    /// - Returns: the value, a number as an `NSNumber`; `nil` also where the values do not fit, for which ``value(with:context:)`` throws.
    /// - Precondition: the expression can be evaluated: its variables have values and its functions are known.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        if case .custom(let type) = kind {
            fatalError(
                "A subclass of NSExpression of type \(type) must override expressionValue(with:context:)")
        }
        do {
            return try value(with: object, context: context)
        } catch let error as PredicateEvaluationError where error.cause == .values {
            return nil
        } catch {
            fatalError("The expression \(self) cannot be evaluated: \(error)")
        }
    }

    /// The value of the expression for an object, or the error that says why it has none.
    ///
    /// Apple raises an exception in these cases, which Swift code cannot catch. A subclass whose value can be
    /// missing for a reason overrides this method and ``expressionValue(with:context:)``.
    ///
    /// - Parameters:
    ///   - object: the object that key paths start from.
    ///   - context: the values of variables, by name without the dollar sign; an assignment writes here.
    /// - Throws: ``PredicateEvaluationError``.
    open func value(with object: Any?, context: NSMutableDictionary? = nil) throws -> Any? {
        if case .custom = kind { return expressionValue(with: object, context: context) }
        return try MatchBudget.sharing {
            try value(with: object, scope: EvaluationScope(context: context)).map(boxedNumber)
        }
    }

    /// Does nothing: kept for source compatibility with Apple's, where decoded expressions are locked.
    open func allowEvaluation() {}

    /// The text of the expression, which `init(parsing:arguments:)` reads.
    open override var description: String { formatText }

    /// Whether the object is an expression with the same structure, and constants of the same types and values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSExpression).map(hasSameStructure(as:)) ?? false
    }

    open override var hash: Int {
        var hasher = Hasher()
        combineStructure(into: &hasher)
        return hasher.finalize()
    }

    open override func copy() -> Any { self }

    /// The expression itself: expressions do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Coding

    /// Expressions are decoded from secure coders.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an expression from a keyed archive.
    ///
    /// - Returns: `nil` when this class does not know the archive's expression.
    public required init?(coder: NSCoder) {
        guard let kind = Self.kind(in: coder) else { return nil }
        self.kind = kind
        steps = if case .keyPath(_, let path) = kind { KeyPathSteps(path) } else { nil }
        super.init()
    }

    /// Writes the expression to a keyed archive, under the keys of Apple's framework.
    ///
    /// - Precondition: the expression is not a block, and a subclass overrides this method.
    open func encode(with coder: NSCoder) {
        encodeFields(coder)
    }
}
