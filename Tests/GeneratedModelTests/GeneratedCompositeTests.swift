import CoreData
import Testing

/// Composite attributes: dictionaries, and the value types that are made beside.
@Suite struct GeneratedCompositeTests {
    @Test("A composite value becomes a dictionary and is read back")
    func aValueBecomesADictionaryAndBack() throws {
        let stack = try Awkward.container()
        let writing = stack.newBackgroundContext()
        let place = Place(latitude: 45.5, longitude: -122.6, default: "Portland")
        let id = try writing.performAndWait {
            let author = Author(context: writing)
            author.id = UUID()
            author.birthplace = place.dictionary
            author.retreat = Stay(nights: 3, place: place).dictionary
            try writing.save()
            return author.objectID
        }
        let reading = stack.newBackgroundContext()
        try reading.performAndWait {
            let author = try #require(try reading.existingObject(with: id) as? Author)
            #expect(author.birthplace?["latitude"] as? Double == 45.5)
            #expect(Place(author.birthplace) == place)
            #expect(Stay(author.retreat) == Stay(nights: 3, place: place))
            #expect(author.value(forKeyPath: "retreat.place.default") as? String == "Portland")
        }
    }

    @Test("A missing dictionary gives nil, and an empty one an empty value")
    func missingDictionary() {
        #expect(Place(nil) == nil)
        #expect(Place([:]) == Place())
        #expect(Stay(nights: 1).dictionary.keys.sorted() == ["nights"])
    }

    @Test("A composite value is encoded and decoded")
    func valuesAreCoded() throws {
        let stay = Stay(nights: 2, place: Place(latitude: 1))
        let data = try JSONEncoder().encode(stay)
        #expect(try JSONDecoder().decode(Stay.self, from: data) == stay)
    }
}
