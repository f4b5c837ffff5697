import TestSupport
import Testing

@testable import ManagedObjectModel

/// Texts of models with random mistakes: whatever comes out of them, it is a model or an error.
struct MutatedModelTests {
    /// A model with one of everything.
    private static let sample = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1">
            <entity name="Item" isAbstract="YES"><attribute name="id" attributeType="UUID"/></entity>
            <entity name="Book" representedClassName=".Book" parentEntity="Item" elementID="Tome" syncable="YES">
                <attribute name="title" attributeType="String" minValueString="1" regularExpressionString="[a-z]+"/>
                <attribute name="year" attributeType="Integer 16" defaultValueString="7" maxValueString="9" indexed="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="0.5"/>
                <attribute name="bought" attributeType="Date" defaultDateTimeInterval="0" minDateTimeInterval="-9"/>
                <attribute name="count" attributeType="Integer 64" derived="YES" derivationExpression="pages.@count"/>
                <attribute name="place" attributeType="Composite" composite="Point"/>
                <relationship name="pages" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Page"
                    inverseName="book" inverseEntity="Page"/>
                <fetchedProperty name="same"><fetchRequest name="f" entity="Book" predicateString="year == 7"/>
                </fetchedProperty>
                <fetchIndex name="i" partialIndexPredicate="title != nil">
                    <fetchIndexElement property="title" type="Binary" order="descending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <entity name="Page"><relationship name="book" maxCount="1" deletionRule="Nullify"
                destinationEntity="Book" inverseName="pages" inverseEntity="Book"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            <fetchRequest name="all" entity="Book" predicateString="title BEGINSWITH[cd] $T AND ANY pages.book == nil"/>
            <configuration name="c"><memberEntity name="Page"/></configuration>
        </model>
        """

    @Test("The sample to be mutated has no inconsistencies")
    func theSampleIsSound() throws {
        let model = try NSManagedObjectModel(tree: ModelElement(xml: Data(Self.sample.utf8)))
        #expect(model.inconsistencies().isEmpty)
    }

    @Test("A mutated model file gives a model or an error", arguments: 0..<8)
    func mutatedTextIsAModelOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        let original = Array(Self.sample.utf8)
        var models = 0
        for _ in 0..<Fuzzing.rounds(250) {
            var bytes = original
            for _ in 0...Int(random.next() % 3) { mutate(&bytes, &random) }
            do {
                let model = try NSManagedObjectModel(tree: ModelElement(xml: Data(bytes)))
                _ = model.inconsistencies()
                let copy = try #require(model.copy() as? NSManagedObjectModel)
                model.makeImmutable()
                #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
                models += 1
            } catch let error as ModelFileError {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(models > 0)
    }

    /// Changes one byte, removes some, repeats some, or swaps two values between quotation marks.
    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededNumbers) {
        let start = Int(random.next() % UInt64(bytes.count))
        let end = min(bytes.count, start + Int(random.next() % 40))
        switch random.next() % 4 {
        case 0: bytes[start] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(start..<end)
        case 2: bytes.insert(contentsOf: bytes[start..<end], at: Int(random.next() % UInt64(bytes.count)))
        default:
            let quotes = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\"") }
            let pairs = quotes.count / 2
            guard pairs > 1 else { return }
            let (a, b) = (2 * Int(random.next() % UInt64(pairs)), 2 * Int(random.next() % UInt64(pairs)))
            let value = bytes[(quotes[a] + 1)..<quotes[a + 1]]
            bytes.replaceSubrange((quotes[b] + 1)..<quotes[b + 1], with: Array(value))
        }
    }
}
