import Foundation
import ManagedObjectModel

/// A store of this framework that keeps its objects in memory, whether they come from a file or not.
///
/// Reference objects are numbers, which no two objects of the store share.
package class MappedStore: NSAtomicStore, @unchecked Sendable {
    /// The highest number of an object so far.
    final var lastReference: Int64 = 0

    /// Numbers of a file from here on are refused, so that there are always some left.
    static let numberLimit: Int64 = 1 << 62

    package override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        access.withLock {
            lastReference += 1
            return lastReference
        }
    }

    override var keepsInverses: Bool { true }
    override var keepsArchives: Bool { true }

    /// Whether a model with uniqueness constraints is accepted; they are not checked.
    var ignoresConstraints: Bool { false }

    /// The options that the type of store has, beside those of Apple's framework.
    var knownOptions: Set<String> { [] }

    package override func prepare(_ model: NSManagedObjectModel) throws {
        StoreOptionKeys(type: type, own: knownOptions).log(options, at: url)
        do {
            try model.validate()
        } catch {
            throw refusal("the model is not valid: \(error.localizedDescription)")
        }
        for storedEntity in storedEntities {
            let name = storedEntity.entity.name ?? ""
            guard storedEntity.entity.uniquenessConstraints.isEmpty || ignoresConstraints else {
                throw refusal("it cannot enforce the uniqueness constraints of entity '\(name)'")
            }
            if let derived = storedEntity.layout.slots.first(where: \.isDerived) {
                throw refusal(
                    "it computes no derived attributes, such as '\(derived.name)' of entity '\(name)'")
            }
        }
        let unchecked = storedEntities.filter { !$0.entity.uniquenessConstraints.isEmpty }.compactMap(
            \.entity.name)
        guard !unchecked.isEmpty else { return }
        Log.store.warning(
            "A store of type \(type) does not check the uniqueness constraints of \(unchecked.joined(separator: ", "))."
        )
    }

    final func refusal(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            "A store of type \(type) does not support the model: \(reason).")
    }
}
