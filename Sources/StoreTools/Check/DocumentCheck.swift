import CoreData

/// Finds what is broken in an XML or binary store. The file is read as it is, so that everything that keeps it from being
/// opened is reported, and not only the first.
struct DocumentCheck {
    let url: URL
    let type: StoreFileType
    let model: NSManagedObjectModel?

    /// - Throws: an error when the file is not such a store, or cannot be read at all.
    func findings(progress: (String, Double) -> Void) throws -> [StoreFinding] {
        progress("file", 0)
        let contents: DocumentContents
        do {
            contents = try DocumentContents(url, type: type.storeType)
        } catch let error as NSError where error.code == CocoaError.Code.fileReadCorruptFile.rawValue {
            return [StoreFinding(.error, .damagedFile, error.localizedDescription)]
        }
        progress("objects", 0.3)
        var tally = FindingTally()
        let objects = numbered(contents, &tally)
        var findings: [StoreFinding] = []
        var missingModelFindings: [StoreFinding] = []
        guard let model = model ?? objectModel(&missingModelFindings) else {
            checkLinks(contents, objects, &tally)
            return tally.findings + missingModelFindings
        }
        do {
            try DocumentNames.checkVersion(contents, url, model)
        } catch {
            findings.append(StoreFinding(.error, .modelMismatch, error.localizedDescription))
        }
        do {
            let names = try DocumentNames(contents, url, model)
            check(contents, names, objects, &tally, progress)
        } catch {
            findings.append(StoreFinding(.error, .modelMismatch, error.localizedDescription))
            checkLinks(contents, objects, &tally)
        }
        return findings + tally.findings + missingModelFindings
    }

    /// A model that is made from the objects; nil when none can be. Either way a finding says so.
    private func objectModel(_ findings: inout [StoreFinding]) -> NSManagedObjectModel? {
        let missingModelNotice = "\(type.description) holds no copy of its model"
        do {
            let model = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                ofType: type.storeType, at: url)
            findings.append(
                StoreFinding(
                    .warning, .noModel,
                    """
                    \(missingModelNotice); values are checked with a model that was made from the objects, which has neither inverses nor \
                    required values: give the real one with --model
                    """))
            return model
        } catch {
            findings.append(
                StoreFinding(
                    .warning, .noModel,
                    "\(missingModelNotice); give the model with --model to have values checked. \(error.localizedDescription)"
                ))
            return nil
        }
    }

    /// The positions of the objects by number.
    private func numbered(_ contents: DocumentContents, _ tally: inout FindingTally) -> [Int64: Int] {
        var positions: [Int64: Int] = [:]
        var highest: Int64 = 0
        for (index, object) in contents.objects.enumerated() {
            guard let number = object.number else {
                tally.note(
                    .error, .invalidKey, object.entityName, nil, "object \(index + 1) of the file",
                    "its identifier is not valid")
                continue
            }
            if positions.updateValue(positions[number] ?? index, forKey: number) != nil {
                tally.note(
                    .error, .invalidKey, object.entityName, nil, "\(object.entityName)/\(number)",
                    "another object has the same identifier")
            }
            highest = max(highest, number)
        }
        if highest > contents.lastNumber, let index = positions[highest] {
            let object = contents.objects[index]
            tally.note(
                .warning, .highestKey, object.entityName, nil, "\(object.entityName)/\(highest)",
                "the file says that no number is above \(contents.lastNumber): new objects could get numbers that are taken"
            )
        }
        return positions
    }

    /// Without a model: that all destinations are there.
    private func checkLinks(
        _ contents: DocumentContents, _ positions: [Int64: Int], _ tally: inout FindingTally
    ) {
        for object in contents.objects {
            for link in object.links
            where link.numbers.contains(where: { $0.flatMap { positions[$0] } == nil }) {
                tally.note(
                    .error, .danglingReference, object.entityName, link.name,
                    Self.name(object, object.entityName), "it leads to an object that does not exist")
            }
        }
    }

    private static func name(_ object: DocumentContents.Object, _ entity: String) -> String {
        "\(entity)/\(object.number.map(String.init) ?? "?")"
    }

    // MARK: With a model

    /// An object of the file as the model sees it.
    private struct Known {
        let object: DocumentContents.Object
        let storedEntity: StoredEntity
        /// The destinations, by relationship.
        var links: [String: [Int64]] = [:]

        var entity: String { storedEntity.entity.name ?? "" }
        var name: String { DocumentCheck.name(object, entity) }
    }

    private func check(
        _ contents: DocumentContents, _ names: DocumentNames, _ positions: [Int64: Int],
        _ tally: inout FindingTally, _ progress: (String, Double) -> Void
    ) {
        var known: [Int: Known] = [:]
        for (index, object) in contents.objects.enumerated() {
            guard let storedEntity = names.storedEntity(object), !storedEntity.entity.isAbstract else {
                tally.note(
                    .error, .unknownEntity, object.entityName, nil, Self.name(object, object.entityName),
                    "the model has no entity of this name that has objects")
                continue
            }
            var entry = Known(object: object, storedEntity: storedEntity)
            checkAttributes(entry, names, &tally)
            for link in object.links {
                guard let slot = names.relationship(link, storedEntity) else {
                    tally.note(
                        .error, .unknownProperty, entry.entity, link.name, entry.name,
                        "the model has no such relationship")
                    continue
                }
                entry.links[slot.name] = link.numbers.compactMap(\.self)
                if link.numbers.contains(nil) {
                    tally.note(
                        .error, .danglingReference, entry.entity, slot.name, entry.name,
                        "its value is not the identifier of an object")
                }
            }
            known[index] = entry
        }
        progress("relationships", 0.6)
        let byNumber = positions.compactMapValues { known[$0] }
        let destinations = byNumber.mapValues { $0.links.mapValues(Set.init) }
        for index in contents.objects.indices {
            guard let entry = known[index] else { continue }
            for slot in entry.storedEntity.layout.slots where slot.isStored && slot.kind.isRelationship {
                check(slot, of: entry, byNumber, destinations, positions, &tally)
            }
        }
    }

    private func checkAttributes(_ entry: Known, _ names: DocumentNames, _ tally: inout FindingTally) {
        let attributes = names.attributes(entry.object, entry.storedEntity)
        for name in attributes.unknown {
            tally.note(
                .error, .unknownProperty, entry.entity, name, entry.name, "the model has no such attribute")
        }
        for name in attributes.invalid {
            tally.note(
                .error, .invalidValue, entry.entity, name, entry.name,
                "the value is not of the type in the model")
        }
        for slot in entry.storedEntity.layout.slots where slot.isStored && !slot.kind.isRelationship {
            guard !slot.property.isOptional, !slot.isDerived, !attributes.present.contains(slot.name) else {
                continue
            }
            tally.note(
                .warning, .mandatoryValue, entry.entity, slot.name, entry.name,
                "the value is missing, and the model requires one")
        }
    }

    private func check(
        _ slot: PropertySlot, of entry: Known, _ byNumber: [Int64: Known],
        _ destinations: [Int64: [String: Set<Int64>]], _ positions: [Int64: Int], _ tally: inout FindingTally
    ) {
        guard let relationship = slot.relationship, let wanted = relationship.destinationEntity else {
            return
        }
        let numbers = entry.links[slot.name] ?? []
        func note(_ severity: StoreFinding.Severity, _ code: StoreFinding.Code, _ message: String) {
            tally.note(severity, code, entry.entity, slot.name, entry.name, message)
        }
        if numbers.isEmpty, !slot.property.isOptional {
            note(.warning, .mandatoryValue, "the value is missing, and the model requires one")
        }
        if slot.kind == .toOne, numbers.count > 1 {
            note(.error, .invalidValue, "it leads to more than one object")
        }
        if Set(numbers).count < numbers.count {
            note(.warning, .duplicateLink, "a link is stored more than once")
        }
        for number in Set(numbers).sorted() {
            guard positions[number] != nil else {
                note(.error, .danglingReference, "it leads to an object that does not exist")
                continue
            }
            // Problems of objects of unknown entities are reported for those objects.
            guard let destination = byNumber[number] else { continue }
            guard destination.storedEntity.entity.isKindOf(entity: wanted) else {
                note(.error, .wrongEntity, "it leads to an object that is not a \(wanted.name ?? "")")
                continue
            }
            guard let inverse = relationship.inverseRelationship, let own = entry.object.number else {
                continue
            }
            if destinations[number]?[inverse.name]?.contains(own) != true {
                note(
                    .error, .inverseMismatch,
                    "it leads to an object whose '\(inverse.name)' does not lead back")
            }
        }
    }
}
