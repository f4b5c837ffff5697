/// How many elements the composite attributes of a model that is being read have together, nested ones included.
///
/// Elements multiply: a small file may give many attributes a large type, and an archive may have one element in many
/// places.
final class CompositeElementCount {
    private static let limit = 50_000
    private var count = 0

    /// Counts one more element.
    ///
    /// - Returns: whether there may be as many.
    func add() -> Bool {
        count += 1
        return count <= Self.limit
    }
}
