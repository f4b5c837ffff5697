import CocoaFoundation
import Testing

/// `CAST(object, "kind")` of objects that are no managed ones: the kind is the class.
@Suite struct KindCastTests {
    private static let name = "CocoaFoundationTests.Folio"

    @Test(
        "A cast to a class is printed as it is read",
        arguments: [
            #"CAST(SELF, "CocoaFoundationTests.Folio") != nil"#,
            #"CAST(origin, "CocoaFoundationTests.Volume").title == "x""#,
            #"CAST(parts[0], "CocoaFoundationTests.Folio").height > 3"#,
            #"ANY CAST(SELF, "CocoaFoundationTests.Folio").parts.title == "x""#,
        ])
    func isPrintedAsItIsRead(_ text: String) throws {
        let predicate = try NSPredicate(parsing: text)
        #expect(predicate.formatString == text)
    }

    @Test("A cast to a class gives the object if it is of the class, else nil")
    func objectsOfTheKind() throws {
        let folio = Folio("Folio", pages: 3)
        folio.height = 9
        let volume = Volume("Volume")
        #expect(try value("CAST(SELF, %@)", folio, Self.name) as? Folio === folio)
        #expect(try value("CAST(SELF, %@)", volume, Self.name) == nil)
        #expect(try value("CAST(SELF, 'CocoaFoundationTests.Volume').pages", folio) as? Int == 3)
        #expect(try value("CAST(SELF, %@).height", folio, Self.name) as? Int == 9)
        #expect(try value("CAST(origin, %@).height", volume, Self.name) == nil)
        #expect(try holds("CAST(SELF, %@).height == nil", volume, Self.name))
    }

    @Test("A cast to a class of something other than an object is refused")
    func castsOfOtherValues() {
        #expect(formatError("CAST('x', 'Folio') == nil")?.reason.contains("does not know the type") == true)
        #expect(formatError("CAST(a, 'NSFolio') == nil")?.reason.contains("does not know the type") == true)
        #expect(formatError("CAST(a, '') == nil")?.reason.contains("does not know the type") == true)
        for value in [1, "x", Date(), Decimal(1), UUID(), [1]] as [Any] {
            #expect(throws: PredicateEvaluationError.self) {
                try holds("CAST(a, 'Folio') == nil", ["a": value])
            }
        }
    }
}
