import CocoaFoundation

/// How the version hashes of a model differ from those that were written for it, in a store or a `VersionInfo.plist`.
package struct VersionHashComparison {
    /// The entities that there are hashes for and that the model does not have, and the other way round; sorted.
    package private(set) var onlyWritten: [String] = []
    package private(set) var onlyInModel: [String] = []
    /// The entities whose hashes differ although every rule that they follow is known; sorted.
    package private(set) var changed: [String] = []
    /// The entities whose hashes differ and that follow rules which are not known for certain, with the rules; sorted.
    package private(set) var uncertain: [(entity: String, rules: [String])] = []

    /// Compares hashes.
    ///
    /// - Parameters:
    ///   - model: a model.
    ///   - configuration: the name of the configuration whose entities count; `nil` means all entities.
    ///   - written: the hashes that were written, by the names of the entities.
    package init(of model: NSManagedObjectModel, configuration: String? = nil, with written: [String: Data]) {
        let own = model.versionHashes(configuration: configuration)
        let entities = model.entitiesByName
        for name in Set(written.keys).union(own.keys).sorted(by: { $0.utf8Precedes($1) })
        where written[name] != own[name] {
            if written[name] == nil {
                onlyInModel.append(name)
            } else if own[name] == nil {
                onlyWritten.append(name)
            } else {
                let rules = entities[name]?.uncertainHashRules ?? []
                if rules.isEmpty { changed.append(name) } else { uncertain.append((name, rules)) }
            }
        }
    }

    /// Whether nothing differs but hashes that are not certain: the model may be the one that was written.
    package var isUncertain: Bool {
        onlyWritten.isEmpty && onlyInModel.isEmpty && changed.isEmpty && !uncertain.isEmpty
    }

    /// A sentence about the hashes that are not certain; `nil` if there are none.
    package var uncertainty: String? {
        guard !uncertain.isEmpty else { return nil }
        let entities = uncertain.map { "\($0.entity) (\($0.rules.joined(separator: ", ")))" }
        return
            "The rules of some version hashes are not known for certain, so that a hash may differ although the "
            + "entity is the same: \(entities.joined(separator: "; "))."
    }
}
