import CocoaFoundation

extension NSManagedObjectModel {
    /// Checks that the model does not contradict itself, which has to be done before a store is made for it.
    ///
    /// - Throws: `ModelConsistencyError` with everything that is wrong.
    package func validate() throws {
        let found = inconsistencies()
        guard found.isEmpty else { throw ModelConsistencyError(inconsistencies: found) }
    }

    /// Checks what stores of every type rely on: that each entity has each of its properties once. Names that differ in
    /// the composition of their characters only are the same.
    ///
    /// - Throws: `ModelConsistencyError` with each property that an entity has twice, and each circle of superentities.
    package func validateProperties() throws {
        var found: [ModelInconsistency] = []
        let byName = entitiesByName
        for entity in entities {
            let circles = inheritanceProblems(of: entity).filter { $0.problem == .inheritanceCycle }
            found += circles
            guard circles.isEmpty else { continue }
            var check = EntityCheck(entity: entity, model: self, entitiesByName: byName)
            found += check.namesThatAreTaken()
        }
        guard found.isEmpty else { throw ModelConsistencyError(inconsistencies: found) }
    }

    /// Checks that the model does not contradict itself, which has to be done before it is written.
    ///
    /// - Throws: `ModelFileError`, without a file, with the first thing that is wrong.
    func checkConsistency() throws {
        let found = inconsistencies()
        guard let first = found.first else { return }
        let more = found.count > 1 ? " (and \(found.count - 1) more contradictions in the model)" : ""
        let location = [first.entity, first.property].compactMap { $0 }.joined(separator: ".")
        throw ModelFileError(
            first.problem.reason, first.detail + more, element: location.isEmpty ? nil : location)
    }

    /// Everything that is wrong with the model, in the order of its entities.
    package func inconsistencies() -> [ModelInconsistency] {
        var found: [ModelInconsistency] = []
        var names: Set<String> = []
        for entity in entities {
            guard let name = entity.name, !name.isEmpty else {
                found.append(.init(.missingName, entity: nil, "an entity has no name"))
                continue
            }
            if !names.insert(name).inserted {
                found.append(.init(.duplicateName, entity: name, "two entities have this name"))
            }
        }
        let byName = entitiesByName
        for entity in entities {
            let tree = inheritanceProblems(of: entity)
            found += tree
            // The properties of an entity in a circle of superentities are not defined.
            if tree.contains(where: { $0.problem == .inheritanceCycle }) { continue }
            var check = EntityCheck(entity: entity, model: self, entitiesByName: byName)
            found += check.run()
        }
        return found
    }

    private func inheritanceProblems(of entity: NSEntityDescription) -> [ModelInconsistency] {
        var found: [ModelInconsistency] = []
        let name = entity.name ?? "?"
        if let parent = entity.superentity, parent.model !== self {
            found.append(
                .init(
                    .missingEntity, entity: name,
                    "its superentity '\(parent.name ?? "?")' is not in the model"))
        }
        for child in entity.subentities where child.model !== self {
            found.append(
                .init(
                    .missingEntity, entity: name, "its subentity '\(child.name ?? "?")' is not in the model"))
        }
        if entity.rootEntity.superentity != nil {
            let circle = entity.lineage.map { $0.name ?? "?" }.joined(separator: " → ")
            found.append(.init(.inheritanceCycle, entity: name, "the superentities form a cycle: \(circle)"))
        }
        return found
    }
}
