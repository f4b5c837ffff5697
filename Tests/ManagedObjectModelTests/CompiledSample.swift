import CocoaFoundation

@testable import ManagedObjectModel

/// A model with one of everything that compiled models hold.
enum CompiledSample {
    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="v1">
            <entity name="Item" representedClassName="Item" isAbstract="YES" elementID="Thing">
                <attribute name="id" attributeType="UUID" defaultValueString="CBE5D1E7-FBD6-430B-9E4E-0B1F2B7F1C55"/>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <entity name="Book" representedClassName=".Book" parentEntity="Item" versionHashModifier="2"
                coreSpotlightDisplayNameExpression="title">
                <attribute name="title" attributeType="String" minValueString="1" regularExpressionString="[a-z]+"
                    elementID="name" versionHashModifier="m" spotlightIndexingEnabled="YES"/>
                <attribute name="year" attributeType="Integer 16" defaultValueString="7" maxValueString="9" indexed="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="12.50"/>
                <attribute name="bought" optional="YES" transient="YES" attributeType="Date" defaultDateTimeInterval="0"/>
                <attribute name="isRead" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
                    preserveAfterDeletion="YES"/>
                <attribute name="secret" optional="YES" attributeType="String" allowsCloudEncryption="YES"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="T"
                    customClassName="Tags"><userInfo><entry key="a" value="b"/></userInfo></attribute>
                <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES"
                    derivationExpression="pages.@count"/>
                <attribute name="plain" optional="YES" attributeType="String" derived="YES"
                    derivationExpression="canonical:(title)"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <relationship name="pages" optional="YES" toMany="YES" ordered="YES" minCount="1" maxCount="99"
                    deletionRule="Cascade" destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
                <fetchedProperty name="same" optional="YES"><fetchRequest name="f" entity="Book"
                    predicateString="year == 7 AND title == $FETCH_SOURCE.title"/></fetchedProperty>
                <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byBoth" partialIndexPredicate="title != nil">
                    <fetchIndexElement property="title" type="Binary" order="descending"/>
                    <fetchIndexElement expression="length:(title)" expressionType="Integer 64" type="Binary"
                        order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="title"/><constraint value="year"/>
                </uniquenessConstraint></uniquenessConstraints>
                <compoundIndexes><compoundIndex><index value="year"/><index value="isRead"/></compoundIndex>
                </compoundIndexes>
            </entity>
            <entity name="Novel" representedClassName="Novel" parentEntity="Book"/>
            <entity name="Page"><relationship name="book" maxCount="1" deletionRule="Nullify"
                destinationEntity="Book" inverseName="pages" inverseEntity="Book"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            <composite name="Place"><attribute name="city" attributeType="String"/>
                <attribute name="point" attributeType="Composite" composite="Point"/></composite>
            <fetchRequest name="all" entity="Book" fetchLimit="5" fetchBatchSize="3" resultType="1"
                returnDistinctResults="YES" includeSubentities="NO"
                predicateString="title BEGINSWITH[cd] $T AND (ANY pages.book == nil OR year IN {1, 2} OR NOT year > 3)"/>
            <configuration name="c"><memberEntity name="Page"/></configuration>
        </model>
        """

    static func model() throws -> NSManagedObjectModel {
        try NSManagedObjectModel(tree: ModelElement(xml: Data(source.utf8)))
    }
}
