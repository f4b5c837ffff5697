import ManagedObjectModel

extension ModelDifference {
    /// Compares two models.
    ///
    /// An entity or property of the newer model is the one of the older model whose name or renaming identifier is
    /// its renaming identifier; without one, the one of the same name.
    package init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        let pairs = EntityPairs(old, new)
        let hashes = (old: old.entityVersionHashesByName, new: new.entityVersionHashesByName)
        var entities: [Entity] = []
        for entity in new.entities {
            let former = pairs.former[ObjectIdentifier(entity)]
            if let difference = Self.difference(from: former, to: entity, pairs, hashes) {
                entities.append(difference)
            }
        }
        for entity in old.entities where pairs.latter[ObjectIdentifier(entity)] == nil {
            entities.append(
                Entity(
                    change: .removed, name: entity.name ?? "", oldName: nil, changesVersionHash: true,
                    settings: [], properties: []))
        }
        self.entities = Self.ordered(entities) { $0.name }
        configurations = Self.parts(
            old.configurations.map { ($0, [Self.members(of: $0, in: old)]) },
            new.configurations.map { ($0, [Self.members(of: $0, in: new)]) })
        fetchRequests = Self.parts(
            old.fetchRequestTemplatesByName.map { ($0.key, SettingList(request: $0.value).settings) },
            new.fetchRequestTemplatesByName.map { ($0.key, SettingList(request: $0.value).settings) })
        changesVersionHashes = hashes.old != hashes.new
        let inference = changesVersionHashes ? MappingInference(from: old, to: new) : nil
        obstacles = Self.ordered((inference?.obstacles ?? []) + (inference?.missingValues ?? [])) {
            "\($0.entity)\u{0}\($0.property ?? "")"
        }
    }

    private static func difference(
        from old: NSEntityDescription?, to new: NSEntityDescription, _ pairs: EntityPairs,
        _ hashes: (old: [String: Data], new: [String: Data])
    ) -> Entity? {
        let name = new.name ?? ""
        guard let old else {
            return Entity(
                change: .added, name: name, oldName: nil, changesVersionHash: true, settings: [],
                properties: [])
        }
        let settings = changes(SettingList(entity: old).settings, SettingList(entity: new).settings)
        var properties: [Property] = []
        var matched: Set<ObjectIdentifier> = []
        for property in new.ownProperties {
            let former = pairs.formerProperty(of: property, in: old, isOwn: true)
            if let former { matched.insert(ObjectIdentifier(former)) }
            if let difference = difference(from: former, to: property) { properties.append(difference) }
        }
        for property in old.ownProperties where !matched.contains(ObjectIdentifier(property)) {
            properties.append(
                Property(
                    change: .removed, name: property.name, oldName: nil, kind: property.kindName,
                    changesVersionHash: !property.isTransient, settings: []))
        }
        let isRenamed = old.name != new.name
        let changesHash = hashes.old[old.name ?? ""] != hashes.new[name]
        guard isRenamed || changesHash || !settings.isEmpty || !properties.isEmpty else { return nil }
        return Entity(
            change: isRenamed ? .renamed : .changed, name: name, oldName: isRenamed ? old.name : nil,
            changesVersionHash: changesHash, settings: settings, properties: ordered(properties) { $0.name })
    }

    private static func difference(
        from old: NSPropertyDescription?, to new: NSPropertyDescription
    ) -> Property? {
        guard let old else {
            return Property(
                change: .added, name: new.name, oldName: nil, kind: new.kindName,
                changesVersionHash: !new.isTransient, settings: [])
        }
        let settings = changes(SettingList(property: old).settings, SettingList(property: new).settings)
        let isRenamed = old.name != new.name
        guard isRenamed || !settings.isEmpty else { return nil }
        return Property(
            change: isRenamed ? .renamed : .changed, name: new.name, oldName: isRenamed ? old.name : nil,
            kind: new.kindName, changesVersionHash: old.versionHash != new.versionHash, settings: settings)
    }

    // MARK: Parts

    private static func members(of configuration: String, in model: NSManagedObjectModel) -> SettingList.Entry
    {
        let names = (model.entities(forConfigurationName: configuration) ?? []).compactMap(\.name).sorted()
        return ("entities", names.joined(separator: ", "))
    }

    private static func parts(
        _ old: [(String, [SettingList.Entry])], _ new: [(String, [SettingList.Entry])]
    ) -> [Part] {
        let older = Dictionary(old) { first, _ in first }
        let newer = Dictionary(new) { first, _ in first }
        let names = Set(older.keys).union(newer.keys)
        return ordered(Array(names)) { $0 }.compactMap { name in
            switch (older[name], newer[name]) {
            case (nil, _): return Part(change: .added, name: name, settings: [])
            case (_, nil): return Part(change: .removed, name: name, settings: [])
            case let (before?, after?):
                let settings = changes(before, after)
                return settings.isEmpty ? nil : Part(change: .changed, name: name, settings: settings)
            }
        }
    }

    /// The settings with different values, in the order of the lists.
    private static func changes(_ old: [SettingList.Entry], _ new: [SettingList.Entry]) -> [Setting] {
        let before = Dictionary(old.map { ($0.name, $0.value) }) { first, _ in first }
        let after = Dictionary(new.map { ($0.name, $0.value) }) { first, _ in first }
        let names = new.map(\.name) + old.map(\.name).filter { after.index(forKey: $0) == nil }
        return names.compactMap { name in
            let (first, second) = (before[name] ?? nil, after[name] ?? nil)
            return first == second ? nil : Setting(name: name, old: first, new: second)
        }
    }

    private static func ordered<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        elements.enumerated()
            .sorted { a, b in
                let (first, second) = (name(a.element), name(b.element))
                return first == second
                    ? a.offset < b.offset : first.utf8.lexicographicallyPrecedes(second.utf8)
            }
            .map(\.element)
    }
}

extension NSPropertyDescription {
    /// What the property is, in a word or two.
    var kindName: String {
        switch self {
        case is NSAttributeDescription: "attribute"
        case is NSRelationshipDescription: "relationship"
        case is NSFetchedPropertyDescription: "fetched property"
        default: "property"
        }
    }
}
