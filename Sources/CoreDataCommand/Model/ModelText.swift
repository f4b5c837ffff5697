import ModelTools

/// A model as text: a paragraph an entity, a line a property.
struct ModelText {
    private(set) var lines: [String] = []
    private let output: Output

    init(_ report: ModelReport, in output: Output) {
        self.output = output
        let count = report.entities.count
        var heading = count == 1 ? "1 entity" : "\(count) entities"
        if !report.versionIdentifiers.isEmpty {
            heading += ", version \(report.versionIdentifiers.joined(separator: ", "))"
        }
        lines.append(output.styled(heading, .faint))
        for entity in report.entities { add(entity) }
        for (name, members) in report.configurations.sorted(by: { $0.key < $1.key }) {
            add(heading: "configuration \(name)")
            lines.append("  \(members.joined(separator: ", "))")
        }
        if !report.fetchRequests.isEmpty { add(heading: "fetch requests") }
        for request in report.fetchRequests { add(request, width: width(report.fetchRequests.map(\.name))) }
    }

    private mutating func add(heading: String) {
        lines.append("")
        lines.append(output.styled(heading, .bold))
    }

    private mutating func add(_ entity: EntityReport) {
        lines.append("")
        var heading = output.styled(entity.name, .bold)
        if let parent = entity.parent { heading += ": \(parent)" }
        var facts = entity.isAbstract ? ["abstract"] : []
        if entity.className != entity.name { facts.append("class \(entity.className)") }
        if let former = entity.renamingIdentifier { facts.append("renaming ID \(former)") }
        if let modifier = entity.versionHashModifier { facts.append("hash modifier \(modifier)") }
        if !facts.isEmpty { heading += "  (\(facts.joined(separator: ", ")))" }
        lines.append(heading)
        let names = width(
            entity.attributes.map(\.name) + entity.relationships.map(\.name)
                + entity.fetchedProperties.map(\.name))
        for attribute in entity.attributes { add(attribute, width: names, indent: "  ") }
        for relationship in entity.relationships { add(relationship, width: names) }
        for property in entity.fetchedProperties { add(property, width: names) }
        for index in entity.indexes { add(index) }
        for names in entity.uniquenessConstraints {
            lines.append("  \(output.styled("unique", .cyan)) \(names.joined(separator: ", "))")
        }
    }

    private mutating func add(_ attribute: AttributeReport, width: Int, indent: String) {
        var facts = [attribute.type]
        if let className = attribute.valueClassName { facts.append("of \(className)") }
        if attribute.isOptional { facts.append("optional") }
        if attribute.isTransient { facts.append("transient") }
        if let derivation = attribute.derivation { facts.append("derived \(derivation)") }
        if let value = attribute.defaultValue { facts.append("default \(value)") }
        facts += attribute.validation ?? []
        if let transformer = attribute.valueTransformerName { facts.append("transformer \(transformer)") }
        if attribute.allowsExternalStorage { facts.append("external storage") }
        if attribute.preservesValueInHistoryOnDeletion { facts.append("preserved after deletion") }
        if attribute.isIndexedBySpotlight { facts.append("Spotlight") }
        if attribute.allowsCloudEncryption { facts.append("encrypted in the cloud") }
        if let former = attribute.renamingIdentifier { facts.append("renaming ID \(former)") }
        if let modifier = attribute.versionHashModifier { facts.append("hash modifier \(modifier)") }
        lines.append("\(indent)\(padded(attribute.name, width))  \(facts.joined(separator: ", "))")
        for element in attribute.elements ?? [] { add(element, width: width, indent: indent + "  ") }
    }

    private mutating func add(_ relationship: RelationshipReport, width: Int) {
        let arrow = output.styled(relationship.isToMany ? "->>" : "->", .cyan)
        var target = relationship.destination ?? "?"
        if let inverse = relationship.inverse { target += ".\(inverse)" }
        var facts: [String] = []
        if relationship.inverse == nil { facts.append("no inverse") }
        if relationship.isOptional { facts.append("optional") }
        if relationship.isOrdered { facts.append("ordered") }
        if relationship.isTransient { facts.append("transient") }
        if relationship.isToMany, relationship.minimumCount > 0 || relationship.maximumCount > 0 {
            let maximum = relationship.maximumCount == 0 ? "" : "\(relationship.maximumCount)"
            facts.append("\(relationship.minimumCount)…\(maximum)")
        }
        facts.append(relationship.deleteRule)
        if let former = relationship.renamingIdentifier { facts.append("renaming ID \(former)") }
        if let modifier = relationship.versionHashModifier { facts.append("hash modifier \(modifier)") }
        lines.append(
            "  \(padded(relationship.name, width))  \(arrow) \(target), \(facts.joined(separator: ", "))")
    }

    private mutating func add(_ request: FetchRequestReport, width: Int) {
        var text =
            "  \(padded(request.name, width))  \(output.styled("fetch", .cyan)) \(request.entity ?? "?")"
        if let predicate = request.predicate { text += " where \(predicate)" }
        if let limit = request.fetchLimit { text += " limit \(limit)" }
        lines.append(text)
    }

    private mutating func add(_ index: IndexReport) {
        let elements = index.elements.map { element in
            element.name + (element.isAscending ? "" : " descending")
                + (element.type == "RTree" ? " R-tree" : "")
        }
        var text = "  \(output.styled("index", .cyan)) \(index.name) (\(elements.joined(separator: ", ")))"
        if let predicate = index.predicate { text += " where \(predicate)" }
        lines.append(text)
    }

    private func width(_ names: [String]) -> Int { min(names.map(\.count).max() ?? 0, 40) }

    private func padded(_ name: String, _ width: Int) -> String {
        name + String(repeating: " ", count: max(0, width - name.count))
    }
}
