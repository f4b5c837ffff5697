import Testing

@testable import ManagedObjectModel

/// Each setting of an entity, relationship, fetched property, fetch request, index and configuration in the
/// model editor, from the text of the file to the description.
struct XcodeEntityTests {
    @Test("An entity without settings has the default ones")
    func entityWithoutSettings() throws {
        let model = try parse("<entity name=\"Book\"/>")
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.managedObjectClassName == "NSManagedObject")
        #expect(book.explicitClassName == nil)
        #expect(!book.isAbstract && !book.isSyncable && book.codeGenerationType == nil)
        #expect(book.userInfo?.isEmpty == true)
        #expect(book.renamingIdentifier == "Book")
        #expect(book.versionHashModifier == nil)
        #expect(book.managedObjectModel === model)
        #expect(model.versionIdentifiers == [""])
    }

    @Test("An entity keeps every setting of the model file")
    func entityWithSettings() throws {
        let model = try parse(
            """
            <entity name="Book" representedClassName=".Book" isAbstract="YES" syncable="YES" elementID="Tome"
                codeGenerationType="category" versionHashModifier="2"
                coreSpotlightDisplayNameExpression="title">
                <attribute name="title" attributeType="String"/>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
                    <uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            """, attributes: "userDefinedModelVersionIdentifier=\"1.25\"")
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.managedObjectClassName == ".Book")
        #expect(book.isAbstract && book.isSyncable && book.codeGenerationType == "category")
        #expect(book.renamingIdentifier == "Tome")
        #expect(book.versionHashModifier == "2")
        #expect(book.coreSpotlightDisplayNameExpression.text == "title")
        #expect(book.userInfo as? [String: String] == ["k": "v"])
        #expect(book.uniquenessConstraints as? [[String]] == [["title"], ["a", "b"]])
        #expect(model.versionIdentifiers == ["1.25"])
    }

    @Test(
        "The class name of an entity stays as written",
        arguments: ["Book", ".Book", "Library.Book", "A.B.Book"])
    func classNamesStayAsTheyAre(name: String) throws {
        let model = try parse("<entity name=\"Book\" representedClassName=\"\(name)\"/>")
        #expect(model.entities[0].managedObjectClassName == name)
    }

    @Test("An entity may stand before its superentity in the file")
    func inheritanceInAnyOrderOfTheFile() throws {
        let model = try parse(
            """
            <entity name="Novel" parentEntity="Book"><attribute name="genre" attributeType="String"/></entity>
            <entity name="Book" parentEntity="Item"><attribute name="title" attributeType="String"/></entity>
            <entity name="Item" isAbstract="YES"><attribute name="id" attributeType="UUID"/></entity>
            """)
        let novel = try #require(model.entitiesByName["Novel"])
        #expect(novel.superentity?.name == "Book")
        #expect(novel.rootEntity.name == "Item")
        #expect(novel.allProperties.map(\.name) == ["id", "title", "genre"])
        #expect(model.entitiesByName["Item"]?.subentitiesByName.keys.sorted() == ["Book"])
        #expect(model.entities.map(\.name) == ["Novel", "Book", "Item"])
    }

    // MARK: Relationships

    @Test("A relationship keeps every setting of the model file")
    func relationships() throws {
        let model = try parse(
            """
            <entity name="Book">
                <relationship name="author" maxCount="1" deletionRule="Deny" destinationEntity="Author"
                    inverseName="books" inverseEntity="Author" syncable="YES" versionHashModifier="2"/>
            </entity>
            <entity name="Author">
                <relationship name="books" optional="YES" toMany="YES" minCount="1" maxCount="6" ordered="YES"
                    deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book"
                    elementID="works"/>
                <relationship name="loose" toMany="YES" transient="YES" destinationEntity="Book"
                    deletionRule="No Action"/>
            </entity>
            """)
        let author = try #require(model.entitiesByName["Book"]?.relationshipsByName["author"])
        let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
        let loose = try #require(model.entitiesByName["Author"]?.relationshipsByName["loose"])
        #expect(!author.isToMany && author.maxCount == 1 && author.minCount == 0 && !author.isOptional)
        #expect(
            author.deleteRule == .denyDeleteRule && author.isSyncable && author.versionHashModifier == "2")
        #expect(author.destinationEntity?.name == "Author")
        #expect(author.inverseRelationship === books && books.inverseRelationship === author)
        #expect(
            books.isToMany && books.maxCount == 6 && books.minCount == 1 && books.isOrdered
                && books.isOptional)
        #expect(books.deleteRule == .cascadeDeleteRule && books.renamingIdentifier == "works")
        #expect(
            loose.isToMany && loose.maxCount == 0 && loose.isTransient && loose.inverseRelationship == nil)
        #expect(loose.deleteRule == .noActionDeleteRule)
        #expect(model.inconsistencies().isEmpty)
    }

    // MARK: Fetch requests

    @Test("A fetch request keeps every setting of the model file")
    func fetchRequests() throws {
        let model = try parse(
            """
            <entity name="Book"><attribute name="title" attributeType="String"/></entity>
            <fetchRequest name="plain" entity="Book"/>
            <fetchRequest name="titled" entity="Book" predicateString="title == $TITLE" fetchLimit="220"
                fetchBatchSize="20" includeSubentities="NO" includePropertyValues="NO"
                includesPendingChanges="NO" returnObjectsAsFaults="NO" returnDistinctResults="YES"/>
            <fetchRequest name="ids" entity="Book" resultType="1"/>
            <fetchRequest name="rows" entity="Book" resultType="2"/>
            """)
        let plain = try #require(model.fetchRequestTemplate(forName: "plain"))
        #expect(plain.entity === model.entities[0] && plain.entityName == "Book")
        #expect(
            plain.predicate == nil && plain.fetchLimit == 0 && plain.resultType == .managedObjectResultType)
        #expect(plain.includesSubentities && plain.includesPropertyValues && plain.includesPendingChanges)
        #expect(plain.returnsObjectsAsFaults && !plain.returnsDistinctResults)
        let titled = try #require(model.fetchRequestTemplate(forName: "titled"))
        #expect(titled.fetchLimit == 220 && titled.fetchBatchSize == 20 && titled.returnsDistinctResults)
        #expect(!titled.includesSubentities && !titled.includesPropertyValues)
        #expect(!titled.includesPendingChanges && !titled.returnsObjectsAsFaults)
        #expect(titled.predicate?.formatString == "title == $TITLE")
        // What a model shows that Apple's model compiler made of such a file.
        let ids = try #require(model.fetchRequestTemplate(forName: "ids"))
        #expect(ids.resultType == .managedObjectIDResultType && !ids.includesPropertyValues)
        let rows = try #require(model.fetchRequestTemplate(forName: "rows"))
        #expect(rows.resultType == .dictionaryResultType && !rows.includesPendingChanges)
        #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["ids", "plain", "rows", "titled"])
    }

    @Test("A request made from a template replaces variables without changing the template")
    func templateWithValuesForItsVariables() throws {
        let model = try parse(
            """
            <entity name="Book"><attribute name="title" attributeType="String"/></entity>
            <fetchRequest name="titled" entity="Book" predicateString="title == $TITLE"/>
            """)
        model.makeImmutable()
        let request = model.fetchRequestFromTemplate(
            withName: "titled", substitutionVariables: ["TITLE": "Emma"])
        #expect(request?.predicate?.formatString == "title == \"Emma\"")
        #expect(request?.entity === model.entities[0])
        request?.fetchLimit = 1
        #expect(model.fetchRequestTemplate(forName: "titled")?.predicate?.formatString == "title == $TITLE")
        #expect(model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]) == nil)
    }

    @Test("A fetched property keeps its request and user info")
    func fetchedProperty() throws {
        let fetched: NSFetchedPropertyDescription? = try parseProperty(
            """
            <fetchedProperty name="same" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="E" predicateString="id == $FETCH_SOURCE.id"/>
                <userInfo><entry key="k" value="v"/></userInfo>
            </fetchedProperty>
            """)
        let property = try #require(fetched)
        #expect(property.isOptional && property.isTransient && property.isReadOnly)
        #expect(property.fetchRequest?.entityName == "E")
        #expect(property.fetchRequest?.predicate?.formatString == "id == $FETCH_SOURCE.id")
        #expect(property.userInfo as? [String: String] == ["k": "v"])
    }

    // MARK: Indexes

    @Test("Indexes of all forms are read, those of older versions of Xcode first")
    func indexes() throws {
        let model = try parse(
            """
            <entity name="Place">
                <attribute name="name" attributeType="String" indexed="YES"/>
                <attribute name="latitude" attributeType="Double"/>
                <attribute name="longitude" attributeType="Double"/>
                <compoundIndexes>
                    <compoundIndex><index value="latitude"/><index value="longitude"/></compoundIndex>
                </compoundIndexes>
                <fetchIndex name="byPlace">
                    <fetchIndexElement property="latitude" type="RTree" order="ascending"/>
                    <fetchIndexElement property="longitude" type="RTree" order="ascending"/>
                </fetchIndex>
                <fetchIndex name="byName" partialIndexPredicate="name != nil">
                    <fetchIndexElement property="name" type="Binary" order="descending"/>
                </fetchIndex>
                <fetchIndex name="byLength">
                    <fetchIndexElement expression="length:(name)" expressionType="Integer 64" type="Binary"
                        order="ascending"/>
                </fetchIndex>
            </entity>
            """)
        let position = model.entities[0]
        // The first two are what Apple's model compiler makes of the settings of older versions of Xcode.
        #expect(
            position.indexes.map(\.name) == ["name", "latitude_longitude", "byPlace", "byName", "byLength"])
        #expect(position.indexes[2].elements.map(\.collationType) == [.rTree, .rTree])
        #expect(position.indexes[2].elements[0].property === position.propertiesByName["latitude"])
        #expect(position.indexes[2].elements[0].indexDescription === position.indexes[2])
        #expect(position.indexes[3].entity === position)
        #expect(position.indexes[3].elements.map(\.isAscending) == [false])
        #expect(position.indexes[3].partialIndexPredicate?.formatString == "name != nil")
        let expression = position.indexes[4].elements[0].property as? NSExpressionDescription
        #expect(expression?.expressionResultType == .integer64AttributeType)
        #expect(expression?.expression?.text == "length:(name)")
        #expect(position.storeIndexes.map(\.name) == position.indexes.map(\.name))
        #expect(position.propertiesByName["name"]?.isIndexedAlone == true)
        #expect(model.inconsistencies().isEmpty)
    }

    // MARK: Configurations and unknown settings

    @Test("A model has its configurations and the default one")
    func configurations() throws {
        let model = try parse(
            """
            <entity name="A"/><entity name="B"/>
            <configuration name="Local" usedWithCloudKit="YES"><memberEntity name="B"/></configuration>
            <configuration name="Empty"/>
            """)
        #expect(model.configurations == ["Empty", "Local"])
        #expect(model.entities(forConfigurationName: "Local")?.map(\.name) == ["B"])
        #expect(model.entities(forConfigurationName: "Empty")?.isEmpty == true)
        #expect(model.entities(forConfigurationName: nil)?.count == 2)
        #expect(model.entities(forConfigurationName: "PF_DEFAULT_CONFIGURATION_NAME")?.count == 2)
        #expect(model.entities(forConfigurationName: "Unknown") == nil)
    }

    @Test("Unknown elements and attributes of a model file are ignored")
    func unknownElementsAndAttributesAreIgnored() throws {
        let model = try parse(
            """
            <entity name="A" future="1"><novelty/><attribute name="a" attributeType="String" x="y"/></entity>
            <elements><element name="A" positionX="0" positionY="0" width="128" height="44"/></elements>
            """)
        #expect(model.entities.map(\.name) == ["A"])
        #expect(model.entities[0].properties.map(\.name) == ["a"])
    }
}
