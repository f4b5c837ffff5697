import Foundation
import ModelTools
import Testing

@testable import ModelEditor

/// Edits of the tree of a model file.
@Suite struct ModelEditingTests {
    @Test("Editing a list changes its elements in place and keeps unknown parts")
    func partsOfListsAreChangedInPlace() throws {
        let entity = try TestModel.edited(
            "<entity name='E'><userInfo><entry key='z' value='1' x='1'/><entry key='a' value='2'/><other/></userInfo></entity>",
            .setUserInfo(at: [0], entries: [.init(key: "z", value: "3"), .init(key: "a", value: "2")]))
        #expect(
            entity
                == #"<entity name="E"><userInfo><entry key="z" value="3" x="1"/><entry key="a" value="2"/><other/></userInfo></entity>"#
        )
        let changed = try TestModel.edited(
            "<entity name='E'><uniquenessConstraints><uniquenessConstraint x='1'><constraint value='a' y='1'/></uniquenessConstraint></uniquenessConstraints></entity>",
            .setConstraints(at: [0], constraints: [["b"]]))
        #expect(changed.contains(#"<uniquenessConstraint x="1"><constraint value="b" y="1"/>"#))
        let index = try TestModel.edited(
            "<entity name='E'><fetchIndex name='i'><other/><fetchIndexElement property='a' type='binary' order='ascending' x='1'/><fetchIndexElement property='b' type='binary'/></fetchIndex></entity>",
            .setIndexElements(
                at: [0, 0],
                elements: [
                    .init(property: "a", type: "Binary", isAscending: false),
                    .init(property: "b", type: "Binary", isAscending: true),
                ]))
        #expect(
            index.contains(
                #"<other/><fetchIndexElement property="a" type="Binary" order="descending" x="1"/><fetchIndexElement property="b" type="binary"/>"#
            ))
        let members = try TestModel.edited(
            "<entity name='A'/><entity name='B'/><configuration name='C'><memberEntity name='B' x='1'/></configuration>",
            .setMembers(at: [2], entities: ["A", "B"]))
        #expect(members.contains(#"<memberEntity name="A"/><memberEntity name="B" x="1"/>"#))
    }

    private static let pair = """
        <entity name="A" representedClassName="A"><attribute name="n" optional="YES"/>\
        <relationship name="b" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="B" inverseName="a" inverseEntity="B"/></entity>\
        <entity name="B" parentEntity="A"><relationship name="a" toMany="YES" deletionRule="Nullify" destinationEntity="A" inverseName="b" inverseEntity="A"/>\
        <fetchIndex name="i"><fetchIndexElement property="n" type="Binary" order="ascending"/></fetchIndex>\
        <uniquenessConstraints><uniquenessConstraint><constraint value="n"/></uniquenessConstraint></uniquenessConstraints></entity>\
        <fetchRequest name="f" entity="A"/><configuration name="c"><memberEntity name="A"/></configuration>
        """

    @Test("A new entity, attribute or relationship has Xcode's settings")
    func aNewEntityAndAttributeAreAsInXcode() throws {
        let text = try TestModel.edited(
            "", .add(kind: "entity", in: []), .add(kind: "attribute", in: [0]),
            .add(kind: "attribute", in: [0]),
            .add(kind: "relationship", in: [0]))
        #expect(
            text == """
                <entity name="Entity" representedClassName="Entity" syncable="YES" codeGenerationType="class">\
                <attribute name="attribute" optional="YES"/><attribute name="attribute1" optional="YES"/>\
                <relationship name="relationship" optional="YES" maxCount="1" deletionRule="Nullify"/></entity>
                """)
    }

    @Test("New elements are in the order of Xcode")
    func newThingsStandWhereXcodeHasThem() throws {
        let text = try TestModel.edited(
            #"<entity name="B"/><entity name="D"/><configuration name="c"/><elements/>"#,
            .add(kind: "entity", in: []), .rename(at: [2], to: "C"), .add(kind: "fetchRequest", in: []))
        #expect(
            text == """
                <entity name="B"/><entity name="C" representedClassName="C" syncable="YES" codeGenerationType="class"/>\
                <entity name="D"/><fetchRequest name="FetchRequest" entity="B"/><configuration name="c"/><elements/>
                """)
    }

    @Test("Renaming an entity updates its references")
    func aRenamedEntityTakesItsReferencesAlong() throws {
        let text = try TestModel.edited(Self.pair, .rename(at: [0], to: "Z"))
        #expect(!text.contains(#""A""#))
        #expect(text.hasPrefix(#"<entity name="B" parentEntity="Z">"#))
        #expect(text.contains(#"<entity name="Z" representedClassName="Z">"#))
        #expect(text.contains(#"destinationEntity="Z" inverseName="b" inverseEntity="Z""#))
        #expect(text.contains(#"<fetchRequest name="f" entity="Z"/>"#))
        #expect(text.contains(#"<memberEntity name="Z"/>"#))
    }

    @Test("Renaming a property updates its references")
    func aRenamedPropertyTakesItsReferencesAlong() throws {
        let attribute = try TestModel.edited(Self.pair, .rename(at: [0, 0], to: "m"))
        // Also in an entity that inherits it.
        #expect(attribute.contains(#"<fetchIndexElement property="m""#))
        #expect(attribute.contains(#"<constraint value="m"/>"#))
        let relationship = try TestModel.edited(Self.pair, .rename(at: [0, 1], to: "other"))
        #expect(relationship.contains(#"inverseName="other" inverseEntity="A""#))
        #expect(!relationship.contains(#"inverseName="b""#))
    }

    @Test("Removing an element removes references to it")
    func aRemovedThingIsReferredToNoMore() throws {
        let entity = try TestModel.edited(Self.pair, .remove(at: [0]))
        #expect(!entity.contains("parentEntity") && !entity.contains("memberEntity"))
        #expect(!entity.contains("destinationEntity") && !entity.contains("inverse"))
        let relationship = try TestModel.edited(Self.pair, .remove(at: [0, 1]))
        #expect(!relationship.contains("inverse"))
        #expect(relationship.contains(#"destinationEntity="A""#))
    }

    @Test("Setting an inverse sets both sides and releases the old inverse")
    func anInverseIsSetOnBothSides() throws {
        let text = #"""
            <entity name="A"><relationship name="b"/><relationship name="c"/></entity><entity name="B"><relationship name="a"/></entity>
            """#
        var editing = ModelEditing(try TestModel.tree(text))
        _ = try editing.perform(.setDestination(at: [0, 0], entity: "B"))
        _ = try editing.perform(.setInverse(at: [0, 0], name: "a"))
        #expect(
            try TestModel.text(editing.root) == """
                <entity name="A"><relationship name="b" destinationEntity="B" inverseName="a" inverseEntity="B"/><relationship name="c"/></entity>\
                <entity name="B"><relationship name="a" destinationEntity="A" inverseName="b" inverseEntity="A"/></entity>
                """)
        // Another one takes the inverse over.
        _ = try editing.perform(.setDestination(at: [0, 1], entity: "B"))
        _ = try editing.perform(.setInverse(at: [0, 1], name: "a"))
        #expect(
            try TestModel.text(editing.root) == """
                <entity name="A"><relationship name="b" destinationEntity="B"/><relationship name="c" destinationEntity="B" inverseName="a" inverseEntity="B"/></entity>\
                <entity name="B"><relationship name="a" destinationEntity="A" inverseName="c" inverseEntity="A"/></entity>
                """)
        _ = try editing.perform(.setInverse(at: [1, 0], name: nil))
        #expect(!(try TestModel.text(editing.root)).contains("inverse"))
    }

    @Test("A relationship may be its own inverse")
    func aRelationshipCanBeItsOwnInverse() throws {
        let text = try TestModel.edited(
            #"<entity name="A"><relationship name="friend" destinationEntity="A"/></entity>"#,
            .setInverse(at: [0, 0], name: "friend"))
        #expect(text.contains(#"destinationEntity="A" inverseName="friend" inverseEntity="A""#))
    }

    @Test("The inverse entity is the one that declares the inverse")
    func theInverseIsNamedByTheEntityThatDeclaresIt() throws {
        let text = try TestModel.edited(
            #"""
            <entity name="A"><relationship name="c" destinationEntity="C"/></entity><entity name="B"><relationship name="a"/></entity><entity name="C" parentEntity="B"/>
            """#, .setInverse(at: [0, 0], name: "a"))
        #expect(text.contains(#"destinationEntity="C" inverseName="a" inverseEntity="B""#))
        #expect(text.contains(#"destinationEntity="A" inverseName="c" inverseEntity="A""#))
        #expect(throws: Never.self) { try NSManagedObjectModel(tree: try TestModel.tree(text)) }
    }

    @Test(
        "Changing the type of an attribute sets Xcode's defaults and drops unsuitable settings",
        arguments: [
            ("Integer 64", #"attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES""#),
            ("Double", #"attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES""#),
            ("Decimal", #"attributeType="Decimal" defaultValueString="0.0""#),
            ("Boolean", #"attributeType="Boolean" usesScalarValueType="YES""#),
            ("Date", #"attributeType="Date" usesScalarValueType="NO""#),
            ("UUID", #"attributeType="UUID" usesScalarValueType="NO""#),
            ("String", #"attributeType="String""#), ("Binary", #"attributeType="Binary""#),
            ("URI", #"attributeType="URI""#),
            (
                "Transformable",
                #"attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData""#
            ),
        ])
    func aTypeComesWithWhatXcodeGivesIt(type: String, settings: String) throws {
        let text = try TestModel.edited(
            #"<entity name="E"><attribute name="a" optional="YES" attributeType="String" minValueString="1" regularExpressionString="x" versionHashModifier="2"/></entity>"#,
            .setType(at: [0, 0], type: type, composite: nil))
        #expect(
            text
                == #"<entity name="E"><attribute name="a" optional="YES" \#(settings) versionHashModifier="2"/></entity>"#
        )
    }

    @Test("A derived attribute loses its default value and limits")
    func aDerivedAttributeHasNoDefault() throws {
        let text = try TestModel.edited(
            #"<entity name="E"><attribute name="a" attributeType="Integer 64" minValueString="0" defaultValueString="0" usesScalarValueType="YES"/></entity>"#,
            .setDerived(at: [0, 0], isDerived: true),
            .set(at: [0, 0], setting: "derivationExpression", value: "b.@count"))
        #expect(
            text
                == #"<entity name="E"><attribute name="a" attributeType="Integer 64" derived="YES" derivationExpression="b.@count" usesScalarValueType="YES"/></entity>"#
        )
    }

    @Test("Settings are written in the order of Xcode")
    func settingsStandInTheOrderOfXcode() throws {
        let path = [0, 0]
        let text = try TestModel.edited(
            #"<entity name="E"><attribute name="a" syncable="YES"/></entity>"#,
            .set(at: path, setting: "elementID", value: "old"),
            .set(at: path, setting: "spotlightIndexingEnabled", value: "YES"),
            .set(at: path, setting: "transient", value: "YES"),
            .set(at: path, setting: "optional", value: "YES"),
            .set(at: path, setting: "preserveAfterDeletion", value: "YES"))
        #expect(
            text == """
                <entity name="E"><attribute name="a" optional="YES" transient="YES" preserveAfterDeletion="YES" \
                spotlightIndexingEnabled="YES" elementID="old" syncable="YES"/></entity>
                """)
    }

    @Test("An empty string is a default value of string attributes only")
    func anEmptyStringAsDefault() throws {
        let string = #"<entity name="E"><attribute name="a" attributeType="String"/></entity>"#
        #expect(
            try TestModel.edited(string, .set(at: [0, 0], setting: "defaultValueString", value: ""))
                .contains(#"defaultValueString="""#))
        let number =
            #"<entity name="E"><attribute name="a" attributeType="Double" defaultValueString="1"/></entity>"#
        #expect(
            !(try TestModel.edited(number, .set(at: [0, 0], setting: "defaultValueString", value: "")))
                .contains("defaultValueString"))
    }

    @Test("User info, constraints and index elements are replaced and removed")
    func listsAreReplaced() throws {
        let entity = #"<entity name="E"><attribute name="a"/><attribute name="b"/></entity>"#
        let text = try TestModel.edited(
            entity,
            .setUserInfo(at: [0], entries: [.init(key: "z", value: "<"), .init(key: "K", value: "")]),
            .setConstraints(at: [0], constraints: [["a", "b"], []]), .add(kind: "fetchIndex", in: [0]))
        #expect(
            text == """
                <entity name="E"><attribute name="a"/><attribute name="b"/>\
                <fetchIndex name="byAIndex"><fetchIndexElement property="a" type="Binary" order="ascending"/></fetchIndex>\
                <uniquenessConstraints><uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint></uniquenessConstraints>\
                <userInfo><entry key="K" value=""/><entry key="z" value="&lt;"/></userInfo></entity>
                """)
        let empty = try TestModel.edited(
            text, .setUserInfo(at: [0], entries: []), .setConstraints(at: [0], constraints: []),
            .setIndexElements(
                at: [0, 2],
                elements: [
                    .init(
                        property: nil, expression: "lowercase:(a)", expressionType: "String", type: "Binary",
                        isAscending: false)
                ]))
        #expect(
            empty == """
                <entity name="E"><attribute name="a"/><attribute name="b"/>\
                <fetchIndex name="byAIndex"><fetchIndexElement expression="lowercase:(a)" expressionType="String" type="Binary" order="descending"/></fetchIndex></entity>
                """)
    }

    @Test("A configuration has its members once, sorted by name")
    func aConfigurationHasItsMembersByName() throws {
        let text = try TestModel.edited(
            #"<entity name="B"/><entity name="A"/><configuration name="c"><memberEntity name="B"/></configuration>"#,
            .setMembers(at: [2], entities: ["B", "A", "B"]))
        #expect(
            text.hasSuffix(
                #"<configuration name="c"><memberEntity name="A"/><memberEntity name="B"/></configuration>"#))
    }

    @Test(
        "An impossible edit says why and changes nothing",
        arguments: [
            (ModelEdit.rename(at: [0, 0], to: "b"), "already"), (.rename(at: [0], to: ""), "needed"),
            (.rename(at: [0], to: "A"), "already"), (.remove(at: [9]), "removed from the model"),
            (.remove(at: [0, -1]), "removed from the model"), (.remove(at: []), "cannot be removed"),
            (.set(at: [0, 0], setting: "optional", value: "maybe"), "YES"),
            (.set(at: [0, 0], setting: "name", value: "x"), "no setting"),
            (.set(at: [0, 0], setting: "attributeType", value: "Date"), "no setting"),
            (.set(at: [0], setting: "nonsense", value: "x"), "no setting"),
            (.set(at: [0, 0], setting: "versionHashModifier", value: "\u{1}"), "control character"),
            (.set(at: [0, 0], setting: "minDateTimeInterval", value: "soon"), "number"),
            (.set(at: [0, 1], setting: "minCount", value: "-1"), "whole number"),
            (.set(at: [1], setting: "parentEntity", value: "E"), "inherits"),
            (.set(at: [1], setting: "parentEntity", value: "Z"), "no entity"),
            (.setType(at: [0, 0], type: "Complex", composite: nil), "no attribute type"),
            (.setType(at: [0, 0], type: "Composite", composite: "X"), "no composite"),
            (.setType(at: [0, 1], type: "Date", composite: nil), "cannot be done"),
            (.setInverse(at: [0, 1], name: "x"), "destination"),
            (.setDestination(at: [0, 1], entity: "Z"), "no entity"),
            (.add(kind: "attribute", in: []), "cannot hold"),
            (.add(kind: "fetchIndex", in: [1]), "needs an attribute"),
            (.add(kind: "model", in: []), "cannot hold"),
            (
                .setUserInfo(at: [0], entries: [.init(key: "k", value: ""), .init(key: "k", value: "")]),
                "once"
            ),
        ])
    func impossibleEditsSayWhy(edit: ModelEdit, reason: String) throws {
        let text = """
            <entity name="E" parentEntity="A"><attribute name="a"/><relationship name="b"/></entity><entity name="A"/>
            """
        var editing = ModelEditing(try TestModel.tree(text))
        let error = try #require(throws: EditError.self) { try editing.perform(edit) }
        #expect(error.detail.contains(reason), "\(error.detail)")
        #expect(editing.root.isIdentical(to: try TestModel.tree(text)))
    }

    @Test("An edit is decoded from JSON")
    func editsAreReadFromJSON() throws {
        let json =
            #"{"setIndexElements":{"at":[0,1],"elements":[{"property":"a","type":"Binary","isAscending":true}]}}"#
        let edit = try JSONDecoder().decode(ModelEdit.self, from: Data(json.utf8))
        #expect(
            edit
                == .setIndexElements(
                    at: [0, 1],
                    elements: [
                        .init(
                            property: "a", expression: nil, expressionType: nil, type: "Binary",
                            isAscending: true)
                    ]))
    }
}
