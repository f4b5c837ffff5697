import Testing

@testable import ManagedObjectModel

/// Models as trees of model files.
struct ModelWriterTests {
    /// The model after it has been written as XML and read again.
    private func again(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(tree: ModelElement(xml: ModelElement(model: model).xml()))
    }

    private func error(_ properties: NSPropertyDescription...) -> ModelFileError? {
        let model = makeModel(entity("E", properties))
        return #expect(throws: ModelFileError.self) { try ModelElement(model: model) }
    }

    @Test("A model keeps every setting of a model file when written and read back")
    func everySettingOfAFile() throws {
        let source = """
            <entity name="Base" isAbstract="YES" syncable="YES"><attribute name="id" attributeType="UUID"
                defaultValueString="6B29FC40-CA47-1067-B31D-00DD010662DA"/></entity>
            <entity name="Book" representedClassName=".Book" parentEntity="Base" elementID="Tome"
                versionHashModifier="2" coreSpotlightDisplayNameExpression="title" syncable="YES"
                codeGenerationType="class">
                <attribute name="bought" attributeType="Date" minDateTimeInterval="-9.5" maxDateTimeInterval="99"
                    defaultDateTimeInterval="1.5" usesScalarValueType="NO"/>
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
                    allowsCloudEncryption="YES" preserveAfterDeletion="YES" storedInTruthFile="YES"/>
                <attribute name="good" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="kind" optional="YES" attributeType="Transformable"
                    valueTransformerName="NSSecureUnarchiveFromData" customClassName="Kind"/>
                <attribute name="link" optional="YES" attributeType="URI" defaultValueString="https://e.org/a"/>
                <attribute name="pageCount" attributeType="Integer 64" derived="YES"
                    derivationExpression="pages.@count"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Point"/>
                <attribute name="price" attributeType="Decimal" minValueString="0.5" maxValueString="99.95"
                    defaultValueString="10.25"/>
                <attribute name="rating" attributeType="Double" maxValueString="5" defaultValueString="0.1"/>
                <attribute name="title" attributeType="String" minValueString="1" maxValueString="9"
                    regularExpressionString="[a-z]+&quot;" defaultValueString="" indexed="YES"
                    spotlightIndexingEnabled="YES" versionHashModifier="x" elementID="name" syncable="YES">
                    <userInfo><entry key="a" value=""/><entry key="k" value="v"/></userInfo></attribute>
                <attribute name="word" optional="YES" attributeType="String" derived="YES"
                    derivationExpression="canonical:(title)"/>
                <relationship name="pages" optional="YES" toMany="YES" minCount="1" maxCount="7"
                    deletionRule="Cascade" ordered="YES" destinationEntity="Page" inverseName="book"
                    inverseEntity="Page"/>
                <fetchedProperty name="same" optional="YES" syncable="YES"><fetchRequest name="f" entity="Book"
                    predicateString="title == $FETCH_SOURCE.title" fetchLimit="3"/></fetchedProperty>
                <fetchIndex name="byPlace"><fetchIndexElement property="rating" type="RTree" order="ascending"/>
                    <fetchIndexElement property="price" type="RTree" order="ascending"/></fetchIndex>
                <fetchIndex name="byWord" partialIndexPredicate="title != nil AND rating &gt; 3">
                    <fetchIndexElement expression="lowercase:(title)" expressionType="String" type="Binary"
                        order="descending"/></fetchIndex>
                <compoundIndexes><compoundIndex><index value="title"/><index value="good"/></compoundIndex>
                </compoundIndexes>
                <uniquenessConstraints><uniquenessConstraint><constraint value="title"/><constraint value="good"/>
                    </uniquenessConstraint></uniquenessConstraints>
                <userInfo><entry key="e" value="&lt;1&gt;"/></userInfo>
            </entity>
            <entity name="Page"><relationship name="book" maxCount="1" deletionRule="Deny"
                destinationEntity="Book" inverseName="pages" inverseEntity="Book"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/><attribute name="at"
                attributeType="Composite" composite="Times"/></composite>
            <composite name="Times"><attribute name="on" attributeType="Date"/></composite>
            <fetchRequest name="all" entity="Book" predicateString="title BEGINSWITH[cd] $T OR ANY pages.book == nil"
                fetchLimit="1" fetchOffset="2" fetchBatchSize="20" resultType="2" includeSubentities="NO"
                includesPendingChanges="YES" returnDistinctResults="YES"/>
            <configuration name="c"><memberEntity name="Page"/></configuration>
            """
        let model = try parse(source, attributes: "userDefinedModelVersionIdentifier=\"7\"")
        #expect(model.inconsistencies().map(\.description) == [])
        let tree = try ModelElement(model: model)
        let copy = try NSManagedObjectModel(tree: ModelElement(xml: tree.xml()))
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.versionIdentifiers == ["7"])
        // Also what is not compared: settings that only the model editor uses, and every element by its text.
        let original = try ModelElement(xml: Data("<model>\(source)</model>".utf8))
        for (old, new) in zip(original.children, tree.children) {
            #expect(old.name == new.name && old["name"] == new["name"])
            for (oldChild, newChild) in zip(old.children, new.children) {
                #expect(oldChild.name == newChild.name)
                if oldChild.name != "userInfo" && oldChild.name != "fetchedProperty" {
                    #expect(oldChild == newChild)
                }
            }
            #expect(old.attributes == new.attributes)
        }
        #expect(original.children.count == tree.children.count)
        let request = copy.fetchRequestTemplate(forName: "all")
        #expect(request?.fetchOffset == 2 && request?.includesSubentities == false)
        // Of dictionaries it reads so, whatever the model says.
        #expect(request?.includesPendingChanges == false && request?.resultType == .dictionaryResultType)
        #expect(copy.entitiesByName["Book"]?.indexes[2].elements.map(\.collationType) == [.rTree, .rTree])
    }

    @Test("A model built in code is written in the order of Xcode and read back")
    func aModelBuiltInCode() throws {
        let page = entity("Page", [])
        let pages = relationship("pages", to: page)
        let book = relationship("book", to: nil, max: 1)
        page.properties = [book]
        let year = attribute("year", .integer16, optional: false)
        year.defaultValue = 7
        let parts = NSCompositeAttributeDescription()
        parts.name = "place"
        parts.elements = [attribute("y", .double), attribute("x", .double)]
        let owner = entity("Book", [year, pages, parts])
        book.destinationEntity = owner
        book.inverseRelationship = pages
        pages.inverseRelationship = book
        let model = makeModel(page, owner)
        let tree = try ModelElement(model: model)
        #expect(tree["type"] == "com.apple.IDECoreDataModeler.DataModel")
        #expect(tree.children.map { $0["name"] } == ["Book", "Page", "Place"])
        #expect(tree.children[0].children.map { $0["name"] } == ["place", "year", "pages"])
        #expect(tree.children[0].children[1]["defaultValueString"] == "7")
        let copy = try again(model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.entitiesByName["Book"]?.propertiesByName["place"] == parts)
    }

    @Test("Composite attributes with one name and different elements get separate types")
    func compositesOfOneNameAndDifferentElements() throws {
        func composite(_ names: String...) -> NSCompositeAttributeDescription {
            let composite = NSCompositeAttributeDescription()
            composite.name = "place"
            composite.elements = names.map { attribute($0, .double) }
            return composite
        }
        let model = makeModel(
            entity("A", [composite("x")]), entity("B", [composite("y")]), entity("C", [composite("x")]))
        let tree = try ModelElement(model: model)
        #expect(
            tree.children(named: "entity").map { $0.children[0]["composite"] } == [
                "Place", "Place2", "Place",
            ])
        #expect(try again(model).entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("The document settings of the old file are carried over")
    func documentSettingsAreCarriedOver() throws {
        let old = try ModelElement(
            xml: Data(
                """
                <model type="t" usedWithCloudKit="YES" userDefinedModelVersionIdentifier="1" macOSVersion="Automatic">
                <entity name="A"/><configuration name="c" usedWithCloudKit="YES"><memberEntity name="A"/></configuration>
                <elements><element name="A" positionX="1"/></elements></model>
                """.utf8))
        let new = try ModelElement(
            model: NSManagedObjectModel(tree: old), document: XcodeDocumentSettings(of: old))
        #expect(new.isIdentical(to: old))
    }

    @Test("A validation predicate that is not a limit cannot be written")
    func predicatesOtherThanLimits() {
        let name = attribute("name", .string)
        name.setValidationPredicates(
            [NSPredicate(format: "SELF BEGINSWITH 'a'")], withValidationWarnings: ["no"])
        let found = error(name)
        #expect(found?.reason == .inexpressible)
        #expect(found?.element == "E.name")
        #expect(found?.detail.contains("SELF BEGINSWITH \"a\"") == true)
    }

    @Test("A limit with a custom warning, or a second one of its kind, cannot be written")
    func aLimitWithAWarningOfItsOwn() {
        let year = attribute("year", .integer32)
        year.setValidationPredicates(
            [NSPredicate(format: "SELF >= 5")], withValidationWarnings: ["too early"])
        #expect(error(year)?.detail.contains("'too early'") == true)
        let twice = attribute("twice", .integer32)
        let least = NSPredicate(format: "SELF >= 5")
        twice.setValidation([least, NSPredicate(format: "SELF >= 6")], warnings: [1620, 1620])
        #expect(error(twice)?.reason == .inexpressible)
    }

    @Test("A default value or user info that a model file cannot express is refused")
    func valuesWithoutText() {
        let data = attribute("data", .binaryData)
        data.defaultValue = Data([1])
        #expect(error(data)?.element == "E.data")
        let small = attribute("small", .integer16)
        small.defaultValue = 40_000
        #expect(error(small)?.reason == .inexpressible)
        let half = attribute("half", .integer64)
        half.defaultValue = 0.5
        #expect(error(half)?.reason == .inexpressible)
        let noted = attribute("noted", .string)
        noted.userInfo = ["k": 1]
        #expect(error(noted)?.element == "E.noted")
        #expect(error(relationship("r", to: nil))?.reason == .missingValue)
    }

    @Test("A fetch request with sort descriptors or a block predicate cannot be written")
    func inexpressibleRequests() throws {
        let model = makeModel(entity("E", [attribute("a", .string)]))
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "E")
        request.sortDescriptors = [NSSortDescriptor(key: "a", ascending: true)]
        model.setFetchRequestTemplate(request, forName: "sorted")
        let error = #expect(throws: ModelFileError.self) { try ModelElement(model: model) }
        #expect(error?.element == "sorted")
        #expect(error?.detail.contains("'sortDescriptors'") == true)
        request.sortDescriptors = nil
        request.predicate = NSPredicate { _, _ in true }
        model.setFetchRequestTemplate(request, forName: "sorted")
        #expect(throws: ModelFileError.self) { try ModelElement(model: model) }
    }

    @Test("A composite attribute that contains itself cannot be written")
    func aCompositeThatContainsItself() {
        let composite = NSCompositeAttributeDescription()
        composite.name = "c"
        composite.elements = [composite]
        #expect(error(composite)?.reason == .cycle)
        composite.elements = []
    }

    @Test("Indexes and Spotlight expressions decide equality, code generation does not")
    func equality() throws {
        let one = try parse("<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>")
        let two = try parse(
            """
            <entity name="A"><attribute name="x" attributeType="String"/><compoundIndexes><compoundIndex>
            <index value="x"/></compoundIndex></compoundIndexes></entity>
            """)
        two.entities[0].indexes = []
        #expect(one != two)
        let three = try parse(
            "<entity name=\"A\" coreSpotlightDisplayNameExpression=\"x\"><attribute name=\"x\" attributeType=\"String\"/></entity>"
        )
        #expect(one != three)
        let four = try parse(
            "<entity name=\"A\" codeGenerationType=\"class\"><attribute name=\"x\" attributeType=\"String\"/></entity>"
        )
        #expect(one == four)
    }
}
