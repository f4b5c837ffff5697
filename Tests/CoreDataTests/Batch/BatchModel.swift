import CoreData
import Testing

/// Shops with products in order, one best product each, tags of many products, and crates that a product needs.
enum BatchModel {
    static func model() -> NSManagedObjectModel {
        let shop = NSEntityDescription("Shop", attribute("name", .string))
        let product = NSEntityDescription(
            "Product", attribute("code", .string), attribute("name", .string, optional: false),
            attribute("price", .double), attribute("stock", .integer32, defaultValue: 1),
            attribute("cost", .decimal), attribute("made", .date), attribute("isOld", .boolean),
            attribute("picture", .binaryData), derived("canonicalName", .string, "canonical:(name)"))
        let tool = NSEntityDescription("Tool", attribute("weight", .double))
        product.subentities = [tool]
        (product.attributesByName["picture"])?.allowsExternalBinaryDataStorage = true
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        let crate = NSEntityDescription("Crate", attribute("number", .integer64))

        pair(
            shop.relate("products", to: product, many: true, rule: .cascadeDeleteRule),
            product.relate("shop", to: shop))
        pair(
            shop.relate("best", to: product), product.relate("bestOf", to: shop))
        pair(product.relate("tags", to: tag, many: true), tag.relate("products", to: product, many: true))
        pair(
            product.relate("crates", to: crate, many: true, rule: .denyDeleteRule),
            crate.relate("product", to: product))
        shop.add(derived("productCount", .integer64, "products.@count"))
        product.uniquenessConstraints = [["code"]]
        return NSManagedObjectModel(of: shop, product, tool, tag, crate)
    }

    static var tracking: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }
}

extension NSManagedObjectContext {
    /// What a batch request returns.
    func result(of request: NSPersistentStoreRequest) throws -> Any? {
        switch try execute(request) {
        case let result as NSBatchInsertResult: result.result
        case let result as NSBatchUpdateResult: result.result
        case let result as NSBatchDeleteResult: result.result
        default: nil
        }
    }

    /// The values of an attribute, in the order of another one.
    func values<Value>(_ key: String, of entity: String, by order: String) throws -> [Value?] {
        try all(entity, by: order).map { $0.value(forKey: key) as? Value }
    }

    /// The types of changes in the history, by transaction: "insert Product" and so on.
    func historyWords() throws -> [[String]] {
        let result = try execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        let transactions =
            (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
        return transactions.map { transaction in
            (transaction.changes ?? []).map { change in
                let properties = (change.updatedProperties ?? []).map(\.name).sorted().joined(separator: " ")
                let words = ["\(change.changeType)", change.changedObjectID.entity.name ?? "", properties]
                return words.filter { !$0.isEmpty }.joined(separator: " ")
            }
        }
    }
}
