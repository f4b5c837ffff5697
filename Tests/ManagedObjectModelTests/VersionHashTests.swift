import Testing

@testable import ManagedObjectModel

/// Version hashes against values that Apple's framework computed.
struct VersionHashTests {
    /// The entity `User` of the reference: `name` is required, `petName` is not.
    private func userModel() -> NSManagedObjectModel {
        makeModel(
            entity("User", [attribute("name", .string, optional: false), attribute("petName", .string)]))
    }

    @Test("An entity has the hash, checksum and digest that Apple's framework computes")
    func hashOfAnEntity() {
        let model = userModel()
        let hash = model.entityVersionHashesByName["User"]?.hexadecimal
        #expect(hash == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
        #expect(model.versionChecksum == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
        #expect(
            model.versionHashesDigest()
                == "0KLB/FnL8roMcgeszeCxnPnvYqnn4VzB2DpFP6csqrDKzLB6fyG5rrVfjY5DtnQxx4355oWuKFublPf2Jo1UWg==")
    }

    @Test("Version hashes stay the same when the model becomes immutable")
    func hashStaysTheSameWhenTheModelGoesIntoUse() {
        let model = userModel()
        let before = model.entityVersionHashesByName
        model.makeImmutable()
        #expect(model.entityVersionHashesByName == before)
        #expect(model.entities[0].versionHash == before["User"])
        #expect(model.entities[0].properties[0].versionHash.count == 32)
    }

    /// A change of an entity, with a name for the report.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (NSEntityDescription) -> Void

        init(_ name: String, _ apply: @escaping @Sendable (NSEntityDescription) -> Void) {
            testDescription = name
            self.apply = apply
        }
    }

    @Test(
        "The hash of an entity depends on what the store depends on",
        arguments: [
            Change("name") { $0.name = "Person" },
            Change("abstract") { $0.isAbstract = true },
            Change("modifier") { $0.versionHashModifier = "2" },
            Change("constraint") { $0.uniquenessConstraints = [["name"]] },
            Change("property") { $0.properties.append(attribute("age", .integer16)) },
            Change("optional") { $0.properties[0].isOptional = true },
            Change("transient") { $0.properties[0].isTransient = true },
            Change("type") { $0.attributesByName["name"]?.type = .uri },
            Change("external") { $0.attributesByName["name"]?.allowsExternalBinaryDataStorage = true },
            Change("preserved") { $0.attributesByName["name"]?.preservesValueInHistoryOnDeletion = true },
            Change("property modifier") { $0.properties[0].versionHashModifier = "2" },
        ])
    func hashDependsOn(_ change: Change) {
        let user = userModel().entities[0]
        let before = user.versionHash
        change.apply(user)
        #expect(user.versionHash != before)
    }

    @Test(
        "The hash of an entity does not depend on what the store does not see",
        arguments: [
            Change("class") { $0.managedObjectClassName = "Person" },
            Change("user info") { $0.userInfo = ["a": "b"] },
            Change("renaming") { $0.renamingIdentifier = "Person" },
            Change("index") {
                let element = NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)
                $0.indexes = [NSFetchIndexDescription(name: "i", elements: [element])]
            },
            Change("default") { $0.attributesByName["name"]?.defaultValue = "x" },
            Change("order") { $0.properties = $0.properties.reversed() },
            Change("transient property") {
                let transient = attribute("cache", .undefined)
                transient.isTransient = true
                $0.properties.append(transient)
            },
            Change("fetched property") {
                let fetched = NSFetchedPropertyDescription()
                fetched.name = "all"
                fetched.fetchRequest = NSFetchRequest(entityName: "User")
                $0.properties.append(fetched)
            },
        ])
    func hashDoesNotDependOn(_ change: Change) {
        let user = userModel().entities[0]
        let before = user.versionHash
        change.apply(user)
        #expect(user.versionHash == before)
    }

    @Test("The hash of a relationship depends on its inverse, destination, counts and order")
    func hashOfARelationshipNamesBothEnds() throws {
        func hash(_ change: (NSRelationshipDescription, NSRelationshipDescription) -> Void) -> Data {
            let book = entity("Book", [])
            let author = entity("Author", [])
            let writer = relationship("author", to: author, max: 1)
            let books = relationship("books", to: book)
            writer.inverseRelationship = books
            books.inverseRelationship = writer
            book.properties = [writer]
            author.properties = [books]
            let model = makeModel(book, author)
            change(writer, books)
            return withExtendedLifetime(model) { writer.versionHash }
        }
        let plain = hash { _, _ in }
        #expect(hash { _, other in other.name = "works" } != plain)
        #expect(hash { this, _ in this.destinationEntity?.name = "Writer" } != plain)
        #expect(hash { this, _ in this.maxCount = 2 } != plain)
        #expect(hash { this, _ in this.minCount = 1 } != plain)
        #expect(hash { this, _ in this.isOrdered = true } != plain)
        #expect(hash { this, _ in this.deleteRule = .cascadeDeleteRule } == plain)
        #expect(
            hash { this, other in
                this.inverseRelationship = nil
                _ = other
            } != plain)
    }

    @Test("A relationship that is its own inverse is hashed like one without an inverse")
    func relationshipThatIsItsOwnInverseHashesAsIfItHadNone() {
        let person = entity("Person", [])
        let friends = relationship("friends", to: person)
        person.properties = [friends]
        let model = makeModel(person)
        let alone = friends.versionHash
        friends.inverseRelationship = friends
        #expect(friends.versionHash == alone)
        withExtendedLifetime(model) {}
    }

    @Test("The hash of a derived attribute depends on its expression only")
    func derivedAttributeHashesItsExpressionOnly() {
        func derived(
            _ name: String, _ expression: NSExpression, _ change: (NSDerivedAttributeDescription) -> Void
        )
            -> Data
        {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.type = .integer64
            attribute.derivationExpression = expression
            change(attribute)
            return attribute.versionHash
        }
        let path = NSExpression(forKeyPath: "pages.@count")
        let function = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "pages")])
        let hash = derived("a", path) { _ in }
        #expect(derived("b", function) { $0.isOptional = false } == hash)
        #expect(derived("a", NSExpression(forKeyPath: "pages.@sum")) { _ in } != hash)
    }

    @Test("A derivation has the text that Apple's framework hashes")
    func textOfADerivation() {
        func text(_ expression: NSExpression) -> String { DerivationText(expression).text }
        let title = NSExpression(forKeyPath: "title")
        #expect(text(NSExpression(forKeyPath: "author.name")) == "author.name")
        #expect(text(NSExpression(forFunction: "now", arguments: [])) == "now()")
        #expect(text(NSExpression(forFunction: "canonical:", arguments: [title])) == "canonical:(title)")
        #expect(text(NSExpression(forKeyPath: "pages.@count")) == "count:(pages)")
        #expect(text(NSExpression(forKeyPath: "books.price.@sum")) == "sum:(books.price)")
    }

    @Test("The hash of a composite attribute depends on its elements only")
    func compositeAttributeHashesItsElementsOnly() {
        func composite(_ name: String, _ elements: [NSAttributeDescription]) -> Data {
            let attribute = NSCompositeAttributeDescription()
            attribute.name = name
            attribute.elements = elements
            return attribute.versionHash
        }
        let latitude = attribute("latitude", .double)
        let longitude = attribute("longitude", .double)
        #expect(composite("a", [latitude, longitude]) == composite("b", [longitude, latitude]))
        #expect(composite("a", [latitude, longitude]) != composite("a", [latitude]))
    }

    @Test("A model is compatible only with store metadata that has exactly its hashes")
    func storesOfOtherVersionsDoNotFit() {
        let model = userModel()
        let hashes = model.entityVersionHashesByName
        func fits(_ value: Any?, _ configuration: String? = nil) -> Bool {
            model.isConfiguration(
                withName: configuration,
                compatibleWithStoreMetadata: value.map { ["NSStoreModelVersionHashes": $0] } ?? [:])
        }
        #expect(fits(hashes))
        #expect(fits(hashes.mapValues { $0 as NSData }))
        #expect(!fits(nil))
        #expect(!fits([String: Data]()))
        #expect(!fits(hashes.merging(["Other": Data()]) { first, _ in first }))
        #expect(!fits(["User": Data(count: 32)]))
        #expect(!fits(["User": "text"]))
        #expect(!fits(hashes, "Unknown"))
        model.setEntities(model.entities, forConfigurationName: "Users")
        #expect(fits(hashes, "Users"))
    }
}

extension Data {
    fileprivate var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
