/// The functions of many numbers: what `@sum` and its like, and `sum:` and its like, compute.
enum Statistics {
    /// The sum, the same for the numbers in any order; 0 of no numbers.
    ///
    /// Of integers it is one where it fits 64 bits.
    static func sum(_ numbers: [Number]) -> Number {
        if let sum = decimalSum(numbers) { return sum.number }
        let sum = exactSum(numbers)
        return sum.integer.map(Number.integer) ?? .double(sum.double)
    }

    /// The arithmetic mean, the same for the numbers in any order; `nil` of no numbers.
    static func average(_ numbers: [Number]) -> Number? {
        if numbers.isEmpty { return nil }
        if let sum = decimalSum(numbers) { return sum.mean }
        return exactSum(numbers).mean.map(Number.double)
    }

    private static func exactSum(_ numbers: [Number]) -> ExactSum {
        var sum = ExactSum()
        for number in numbers {
            if case .integer(let integer) = number { sum.add(integer) } else { sum.add(number.double) }
        }
        return sum
    }

    /// The sum of numbers of which one is decimal; nil for others.
    private static func decimalSum(_ numbers: [Number]) -> DecimalSum? {
        guard numbers.contains(where: { if case .decimal = $0 { true } else { false } }) else { return nil }
        var sum = DecimalSum()
        for number in numbers { sum.add(number) }
        return sum
    }

    /// The number in the middle, or the mean of the two there; `nil` of no numbers.
    static func median(_ numbers: [Number]) -> Number? {
        if numbers.isEmpty { return nil }
        let sorted = sorted(numbers)
        let middle = sorted.count / 2
        if sorted.count.isMultiple(of: 2) { return average([sorted[middle - 1], sorted[middle]]) }
        return sorted[middle]
    }

    /// The numbers that are there most often, in ascending order.
    static func modes(_ numbers: [Number]) -> [Number] {
        var runs: [(number: Number, count: Int)] = []
        for number in sorted(numbers) {
            if let last = runs.last, PredicateValue(last.number.any) == PredicateValue(number.any) {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((number, 1))
            }
        }
        let most = runs.map(\.count).max()
        return runs.filter { $0.count == most }.map(\.number)
    }

    /// The standard deviation of a whole population, the same for the numbers in any order; `nil` of no numbers.
    static func standardDeviation(_ numbers: [Number]) -> Number? {
        let numbers = sorted(numbers)
        guard let mean = average(numbers)?.double else { return nil }
        let squares = numbers.map { ($0.double - mean) * ($0.double - mean) }
        return .double((squares.reduce(0, +) / Double(numbers.count)).squareRoot())
    }

    /// The least of values that have an order; `nil` of no values.
    static func minimum(_ values: [Any]) throws -> Any? {
        try extremum(of: values, .orderedAscending)
    }

    /// The greatest of values that have an order; `nil` of no values.
    static func maximum(_ values: [Any]) throws -> Any? {
        try extremum(of: values, .orderedDescending)
    }

    private static func extremum(of values: [Any], _ wanted: ComparisonResult) throws -> Any? {
        guard var best = values.first else { return nil }
        var bestValue = PredicateValue(best)
        for value in values.dropFirst() {
            let next = PredicateValue(value)
            guard let order = next.order(bestValue) else {
                throw PredicateEvaluationError(
                    .values, "\(described(value)) and \(described(best)) have no common order.")
            }
            if order == wanted { (best, bestValue) = (value, next) }
        }
        return best
    }

    private static func sorted(_ numbers: [Number]) -> [Number] {
        numbers.sorted { PredicateValue($0.any).order(PredicateValue($1.any)) == .orderedAscending }
    }
}
