/// A statement that was executed, for tools that show it.
package struct StatementExecution: Sendable {
    package let statement: String
    /// What the database says of its way to the rows, one step a line.
    package let plan: [String]
    /// How long it took, all times together.
    package private(set) var seconds: Double
    /// How often it was executed.
    package private(set) var count = 1

    package init(statement: String, plan: [String], seconds: Double) {
        (self.statement, self.plan, self.seconds) = (statement, plan, seconds)
    }

    /// Counts further executions in.
    package mutating func add(count: Int, seconds: Double) {
        self.count += count
        self.seconds += seconds
    }
}
