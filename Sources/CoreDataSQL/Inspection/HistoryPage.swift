/// A part of a store's history, for tools that show much of it and keep little.
package struct HistoryPage<Element> {
    /// The latest transactions first.
    package let elements: [Element]
    /// Whether there are older ones.
    package let hasMore: Bool
    /// What was executed for it.
    package let executions: [StatementExecution]

    package init(elements: [Element], hasMore: Bool, executions: [StatementExecution]) {
        (self.elements, self.hasMore, self.executions) = (elements, hasMore, executions)
    }
}

extension HistoryPage: Sendable where Element: Sendable {}
