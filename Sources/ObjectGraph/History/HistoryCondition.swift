import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A condition of a request for history, translated for one store: tokens and entities in it are replaced by their numbers in
/// the store.
///
/// A token without a position in the store, such as one from before the store was added, precedes all of its transactions.
struct HistoryCondition {
    private let reader: any HistoryReader

    init(_ reader: any HistoryReader) { self.reader = reader }

    /// - Throws: 134301 for a token that has expired. So has the one of an empty history where a transaction's is to be
    ///   equal to it: there never was such a transaction.
    func numbered(_ predicate: NSPredicate) throws -> NSPredicate {
        try checkEqualTokens(predicate)
        return try predicate.replacing { expression, _ in try replacement(expression) }
    }

    private func replacement(_ expression: NSExpression) throws -> NSExpression? {
        switch expression.kind {
        case .keyPath(let operand, "token"):
            guard case .evaluatedObject = operand.kind else { return nil }
            return NSExpression(forKeyPath: "transactionNumber")
        case .constant(let value):
            if let number = try number(value) { return NSExpression(forConstantValue: number) }
            guard let list = value as? any ValueCollection, list.collectionKind != .dictionary,
                list.collectionElements.contains(where: {
                    $0 is NSPersistentHistoryToken || $0 is NSEntityDescription
                })
            else { return nil }
            return NSExpression(forConstantValue: try list.collectionElements.map { try number($0) ?? $0 })
        default: return nil
        }
    }

    /// The number of a token or an entity in the store; nil for other values.
    private func number(_ value: Any?) throws -> NSNumber? {
        switch value {
        case let token as NSPersistentHistoryToken:
            guard let number = token.numbers[reader.storeIdentifier] else {
                return NSNumber(value: Int64.min)
            }
            try reader.checkNotExpired(number)
            return NSNumber(value: number)
        case let entity as NSEntityDescription:
            return NSNumber(value: reader.number(of: entity) ?? -1)
        default: return nil
        }
    }

    private func checkEqualTokens(_ predicate: NSPredicate) throws {
        var rest = [predicate]
        while let next = rest.popLast() {
            switch next.shape {
            case .compound(_, let parts): rest += parts
            case .comparison(let comparison) where comparison.predicateOperatorType == .equalTo:
                for side in [comparison.leftExpression, comparison.rightExpression] {
                    guard case .constant(let token as NSPersistentHistoryToken) = side.kind,
                        token.numbers[reader.storeIdentifier] == 0
                    else { continue }
                    throw reader.expired(0)
                }
            default: break
            }
        }
    }
}
