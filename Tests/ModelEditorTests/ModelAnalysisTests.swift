import ModelTools
import Testing

@testable import ModelEditor

/// What is said about a model while it is edited.
@Suite struct ModelAnalysisTests {
    private static let books = """
        <entity name="Author" representedClassName="Author" codeGenerationType="class"><attribute name="name" optional="YES" attributeType="String"/>\
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/></entity>\
        <entity name="Book" representedClassName="Book"><attribute name="price" attributeType="Decimal"/><attribute name="title" optional="YES" attributeType="String"/>\
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/></entity>
        """

    private static func analysis(_ text: String, from base: String = books) throws -> ModelAnalysis {
        ModelAnalysis(
            of: try TestModel.tree(text), name: "Library", comparedWith: ("old", try TestModel.tree(base)))
    }

    @Test("An unchanged model needs no migration")
    func anUnchangedModelNeedsNoMigration() throws {
        let analysis = try Self.analysis(Self.books)
        #expect(analysis.migration.difference?.isEmpty == true)
        #expect(analysis.migration.difference?.changesVersionHashes == false)
        #expect(analysis.hashes.map(\.entity) == ["Author", "Book"])
        #expect(analysis.hashes.allSatisfy { !$0.isChanged && $0.hash.count == 64 })
        #expect(
            analysis.sources.contains {
                $0.name == "Book+CoreDataProperties.swift" && $0.text.contains("title")
            })
    }

    @Test("An added optional attribute allows lightweight migration")
    func anOptionalAttributeMoreIsLightweight() throws {
        let text = Self.books.replacing(
            #"<attribute name="title""#,
            with: #"<attribute name="isbn" optional="YES" attributeType="String"/><attribute name="title""#)
        let analysis = try Self.analysis(text)
        #expect(analysis.migration.allowsLightweightMigration)
        #expect(analysis.hashes.filter(\.isChanged).map(\.entity) == ["Book"])
    }

    @Test("An added required attribute without a default is an obstacle")
    func aMandatoryAttributeMoreIsNot() throws {
        let text = Self.books.replacing(
            #"<attribute name="title""#,
            with: #"<attribute name="isbn" attributeType="String"/><attribute name="title""#)
        let analysis = try Self.analysis(text)
        #expect(!analysis.migration.allowsLightweightMigration)
        #expect(analysis.migration.difference?.obstacles.first?.property == "isbn")
    }

    @Test("A class that cannot be generated leaves the others with a notice")
    func aClassThatIsWrittenByHandLeavesTheOthers() throws {
        let text =
            Self.books.replacing(
                "<entity name=\"Book\" representedClassName=\"Book\">",
                with: "<entity name=\"Book\" representedClassName=\"A.B.C\">")
        let analysis = try Self.analysis(text)
        #expect(analysis.sourceProblem == nil)
        #expect(
            analysis.sources.map(\.name) == ["Author+CoreDataClass.swift", "Author+CoreDataProperties.swift"])
        #expect(analysis.notices.first?.contains("A.B.C") == true)
    }

    @Test("The analysis of an unreadable model says why, and has no sources")
    func aModelThatCannotBeReadSaysWhy() throws {
        let analysis = try Self.analysis(#"<entity name="E"><relationship name="r"/></entity>"#)
        #expect(analysis.findings.contains { $0.severity == .error })
        #expect(analysis.migration.problem?.contains("destinationEntity") == true)
        #expect(analysis.sourceProblem != nil && analysis.sources.isEmpty && analysis.checksum == nil)
    }

    @Test(
        "The check of a derivation says what is wrong",
        arguments: [
            ("books.@count", nil as String?), ("now()", nil), ("name", nil), ("canonical:(name)", nil),
            ("books.@count +", "column"), ("", "missing"), ("books.price", "to-many"),
            ("nothing", "no property"),
            ("books.title.@sum", "not a number"), ("name + name", "a store cannot compute it"),
        ])
    func aDerivationSaysWhatIsWrong(text: String, problem: String?) throws {
        let tree = try TestModel.tree(
            Self.books.replacing(
                #"<attribute name="name""#,
                with: #"<attribute name="derived" optional="YES"/><attribute name="name""#))
        let check = try TextCheck.derivation(text, at: [0, 0], in: tree)
        if let problem {
            #expect(check.problem?.contains(problem) == true, "\(check.problem ?? "nothing")")
        } else {
            // The attribute has no type yet; that is all there can be.
            #expect(check.problem == nil || check.problem?.contains("type") == true, "\(check.problem ?? "")")
        }
    }

    /// A model with all that has a predicate or an expression.
    private static let asking = """
        <entity name="Person" representedClassName="Person">
            <attribute name="age" attributeType="Integer 16" usesScalarValueType="YES"/>
            <attribute name="name" attributeType="String"/>
            <fetchedProperty name="peers"><fetchRequest name="f" entity="Person" predicateString="age == 1"/></fetchedProperty>
            <fetchIndex name="byName" partialIndexPredicate="wrong == 2">
                <fetchIndexElement property="name" type="Binary" order="ascending"/>
                <fetchIndexElement expression="wrong" expressionType="String" type="Binary" order="ascending"/>
            </fetchIndex>
        </entity>
        <fetchRequest name="old" entity="Person" predicateString="age &gt; 90"/>
        """

    @Test(
        "The check of a predicate says what is wrong, with its column",
        arguments: [
            // The request, that of the fetched property, the index.
            [1], [0, 2, 0], [0, 3],
        ])
    func aPredicateSaysWhatIsWrong(at path: [Int]) throws {
        let tree = try TestModel.tree(Self.asking)
        func check(_ text: String) throws -> TextCheck { try TextCheck.predicate(text, at: path, in: tree) }
        #expect(try check("age > 5 AND name CONTAINS[c] 'x'").problem == nil)
        #expect(try check("").problem == nil)
        #expect(try check("nonsense > 5").problem == "'nonsense' is not a key path of the entity 'Person'")
        #expect(try check("age ==").problem?.contains("column") == true)
        #expect(try check("age ==").column == 7)
        #expect(throws: EditError.self) { try TextCheck.predicate("age == 1", at: [0], in: tree) }
        #expect(throws: EditError.self) { try TextCheck.predicate("age == 1", at: [9], in: tree) }
    }

    @Test("The check of an expression says what is wrong", arguments: [[0], [0, 3]])
    func anExpressionSaysWhatIsWrong(at path: [Int]) throws {
        let tree = try TestModel.tree(Self.asking)
        func check(_ text: String) throws -> String? {
            try TextCheck.expression(text, at: path, in: tree).problem
        }
        #expect(try check("uppercase:(name)") == nil)
        #expect(try check("uppercase:(nonsense)") == "'nonsense' is not a key path of the entity 'Person'")
        #expect(try check("(")?.contains("column") == true)
        // An entity need not have a name in Spotlight.
        #expect(try (check("") == nil) == (path == [0]))
        #expect(throws: EditError.self) { try TextCheck.expression("name", at: [1], in: tree) }
    }

    @Test(
        "The check of a uniqueness constraint says what is wrong",
        arguments: [
            ("name", nil as String?), ("name, age", nil), ("", "missing"), ("name,", "missing"),
            ("name, name", "twice"), ("nothing", "'nothing' is not a property"), ("half", "derived"),
            ("short", "transient"), ("friends", "to-many"),
        ])
    func aConstraintSaysWhatIsWrong(text: String, problem: String?) throws {
        let tree = try TestModel.tree(
            """
            <entity name="Person" representedClassName="Person">
                <attribute name="age" attributeType="Integer 16" usesScalarValueType="YES"/>
                <attribute name="half" optional="YES" attributeType="String" derived="YES" derivationExpression="name"/>
                <attribute name="name" attributeType="String"/>
                <attribute name="short" optional="YES" transient="YES" attributeType="String"/>
                <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Person"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="gone"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            """)
        let found = try TextCheck.constraint(text, at: [0], in: tree).problem
        if let problem {
            #expect(found?.contains(problem) == true, "\(found ?? "nothing")")
        } else {
            #expect(found == nil)
        }
        #expect(throws: EditError.self) { try TextCheck.constraint("name", at: [0, 1], in: tree) }
    }

    @Test("Findings distinguish a fetch request from a configuration of the same name")
    func partsOfOneNameAreDistinguished() throws {
        let analysis = try Self.analysis(
            #"<entity name="E"><attribute name="a" attributeType="String"/></entity>"#
                + #"<fetchRequest name="Same" entity="E" predicateString="gone == 1"/><configuration name="Same"/>"#
        )
        let found = analysis.findings.filter { $0.entity == nil && $0.property == "Same" }
        #expect(
            Set(found.map { "\($0.kind ?? "-") \($0.code.rawValue)" }) == [
                "fetchRequest unknown-key-path", "configuration empty-configuration",
            ])
    }

    @Test("A pattern is tried on a sample, and a slow one is a problem")
    func aPatternIsTried() {
        #expect(TextCheck.pattern("[a-z]+", sample: "abc").matches == true)
        #expect(TextCheck.pattern("[a-z]+", sample: "abc1").matches == false)
        #expect(TextCheck.pattern("(", sample: "x").problem != nil)
        // An expression that would never finish is cancelled.
        #expect(TextCheck.pattern("(a+)+b", sample: String(repeating: "a", count: 60)).problem != nil)
    }
}
