import Foundation
import TestSupport
import Testing

@testable import CocoaFoundation

private struct Address: Codable, Equatable {
    var street: String
    var town: Town
    var moved: Date?

    enum Town: String, Codable { case köln, bonn }
}

/// A type that contains itself.
private indirect enum Thread: Codable, Equatable {
    case end
    case reply(Thread)
}

@Suite struct CodableTransformerTests {
    private let address = Address(
        street: "Ring 1", town: .köln, moved: Date(timeIntervalSinceReferenceDate: 0.125))

    @Test(
        "A Codable structure is stored and read back equal",
        arguments: [CodableTransformerFormat.propertyList, .json])
    func aStructureComesBackEqual(_ format: CodableTransformerFormat) throws {
        let transformer = CodableTransformer<Address>(format: format)
        let data = try #require(transformer.transformedValue(address) as? Data)
        let value: Any? = transformer.reverseTransformedValue(data)
        #expect(value as? Address == address)
        #expect(try transformer.storedData(for: address) == data)
        #expect(try transformer.value(fromStored: data) as? Address == address)
        #expect(NSStringFromClass(type(of: transformer).transformedValueClass()) == "NSData")
    }

    @Test(
        "Numbers, strings, dictionaries and nil are stored and read back equal",
        arguments: [CodableTransformerFormat.propertyList, .json])
    func fragmentsComeBackEqual(_ format: CodableTransformerFormat) throws {
        let numbers = CodableTransformer<Int>(format: format)
        #expect(try numbers.value(fromStored: numbers.storedData(for: -5)) as? Int == -5)
        let texts = CodableTransformer<String>(format: format)
        #expect(try texts.value(fromStored: texts.storedData(for: "größer")) as? String == "größer")
        let towns = CodableTransformer<[Address.Town: Int]>(format: format)
        #expect(
            try towns.value(fromStored: towns.storedData(for: [Address.Town.bonn: 1])) as? [Address.Town: Int]
                == [.bonn: 1])
        #expect(try numbers.storedData(for: nil) == nil)
        #expect(try numbers.value(fromStored: nil) == nil)
    }

    @Test("The format decides between a property list and JSON")
    func formatsAreWhatTheySay() throws {
        let list = try #require(try CodableTransformer<Int>().storedData(for: 5))
        #expect(list.starts(with: Data("bplist00".utf8)))
        let json = try #require(try CodableTransformer<Int>(format: .json).storedData(for: 5))
        #expect(json == Data("5".utf8))
    }

    @Test("A registered transformer has the name of its type or the given name")
    func registeringNamesTheType() throws {
        let name = CodableTransformer<Address>.register(format: .json)
        #expect(name.rawValue.hasPrefix("CocoaFoundationTests."))
        #expect(name.rawValue.hasSuffix("Address"))
        let registered = try #require(ValueTransformer(forName: name) as? CodableTransformer<Address>)
        #expect(registered.format == .json)
        let own = CodableTransformer<Address>.register(forName: NSValueTransformerName("Addresses"))
        #expect(own.rawValue == "Addresses")
        #expect(CodableTransformer<Address>(forName: own) != nil)
        #expect(CodableTransformer<Int>(forName: own) == nil)
    }

    @Test("A value of another type is refused with the expected type")
    func aValueOfAnotherTypeIsRefused() {
        let error = #expect(throws: CocoaError.self) {
            try CodableTransformer<Address>().checkedTransformedValue("text")
        }
        #expect(error?.code == .coderInvalidValue)
        #expect(error?.localizedDescription.contains("Address") == true)
    }

    @Test(
        "Data of another type is refused with the decoding error",
        arguments: [CodableTransformerFormat.propertyList, .json])
    func dataOfAnotherTypeIsRefused(_ format: CodableTransformerFormat) throws {
        let data = try #require(try CodableTransformer<[Int]>(format: format).storedData(for: [1, 2]))
        let error = #expect(throws: CocoaError.self) {
            try CodableTransformer<Address>(format: format).checkedReverseTransformedValue(data)
        }
        #expect(error?.code == .coderReadCorrupt)
        #expect(error?.userInfo[NSUnderlyingErrorKey] is DecodingError)
        #expect(throws: CocoaError.self) {
            try CodableTransformer<Int>(format: format).checkedReverseTransformedValue("no data")
        }
    }

    @Test("A value that cannot be encoded is refused with the encoding error")
    func unencodableValuesAreRefused() {
        let error = #expect(throws: CocoaError.self) {
            try CodableTransformer<Double>(format: .json).checkedTransformedValue(Double.nan)
        }
        #expect(error?.userInfo[NSUnderlyingErrorKey] is EncodingError)
    }

    @Test(
        "Damaged data gives a value of the type or an error",
        arguments: [CodableTransformerFormat.propertyList, .json])
    func damagedDataDoesNoHarm(_ format: CodableTransformerFormat) throws {
        let transformer = CodableTransformer<[Address]>(format: format)
        let data = try #require(try transformer.storedData(for: [address, address]))
        for length in 0..<data.count {
            #expect(throws: CocoaError.self) { try transformer.value(fromStored: data.prefix(length)) }
        }
        var numbers = Fuzzing.numbers(seed: 7)
        for _ in 0..<Fuzzing.rounds(1_000) {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<damaged.count, using: &numbers)
                damaged[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            if let value = try? transformer.value(fromStored: damaged) { #expect(value is [Address]) }
        }
    }

    @Test("A property list that contains itself is refused")
    func propertyListsThatHoldThemselvesAreRefused() {
        let cycle = BinaryPropertyList(
            nodes: [
                .array([1]), .dictionary(keys: [2], values: [3]), .string("reply"),
                .dictionary(keys: [4], values: [1]), .string("_0"),
            ], root: 0)
        let error = #expect(throws: CocoaError.self) {
            try CodableTransformer<Thread>().checkedReverseTransformedValue(cycle.data())
        }
        #expect(error?.code == .coderReadCorrupt)
        #expect(error?.userInfo[NSUnderlyingErrorKey] is MalformedPropertyList)
    }

    @Test("Nesting of 100 values is read, and of 200 is refused")
    func depthIsBounded() throws {
        let transformer = CodableTransformer<Thread>()
        func thread(_ length: Int) -> Thread { (0..<length).reduce(.end) { inner, _ in .reply(inner) } }
        let fitting = thread(100)
        #expect(try transformer.value(fromStored: transformer.storedData(for: fitting)) as? Thread == fitting)
        let deep = try transformer.storedData(for: thread(200))
        #expect(throws: CocoaError.self) { try transformer.value(fromStored: deep) }
    }
}
