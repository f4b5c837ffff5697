/// The text of the model that stores have, and of a model to begin with: authors with books, and attributes of every type.
package enum ShelfText {
    /// - Parameter derives: whether there are derived attributes, which only databases have.
    package static func of(derives: Bool) -> String {
        let derived =
            derives
            ? """
                <attribute name="bookCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="books.@count"/>
                <attribute name="shouted" optional="YES" attributeType="String" derived="YES" derivationExpression="uppercase:(name)"/>
            """ : ""
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1">
                <entity name="Author">
                    <attribute name="name" optional="YES" attributeType="String"/>
            \(derived)
                    <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                    <relationship name="shelf" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="owner" inverseEntity="Book"/>
                    <relationship name="likes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="likedBy" inverseEntity="Book"/>
                </entity>
                <entity name="Book">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="year" optional="YES" attributeType="Integer 16"/>
                    <attribute name="pages" optional="YES" attributeType="Integer 32"/>
                    <attribute name="number" optional="YES" attributeType="Integer 64"/>
                    <attribute name="rating" optional="YES" attributeType="Double"/>
                    <attribute name="weight" optional="YES" attributeType="Float"/>
                    <attribute name="price" optional="YES" attributeType="Decimal"/>
                    <attribute name="isRead" optional="YES" attributeType="Boolean"/>
                    <attribute name="bought" optional="YES" attributeType="Date"/>
                    <attribute name="cover" optional="YES" attributeType="Binary"/>
                    <attribute name="id" optional="YES" attributeType="UUID"/>
                    <attribute name="site" optional="YES" attributeType="URI"/>
                    <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                    <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                    <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="shelf" inverseEntity="Author"/>
                    <relationship name="likedBy" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Author" inverseName="likes" inverseEntity="Author"/>
                </entity>
                <entity name="Novel" parentEntity="Book">
                    <attribute name="genre" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """
    }
}
