import CoreData
import Logging
import Testing

/// Values and archives that a transformer refuses: nothing is lost, and the reason is reported.
@Suite struct TransformableRefusalTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    // MARK: Saving

    /// The error of a save with a value; the value before is in the file still, and the save works without it.
    private func refusal(_ key: String, _ value: Any) throws -> NSError {
        let coordinator = try folder.open(TransformableFixture.model)
        return try coordinator.inContext { context in
            let thing = try context.insert("Thing", ["name": "before"])
            try context.save()
            thing.setValue("after", forKey: "name")
            thing.setValue(value, forKey: key)
            let refusal = try error { try context.save() }
            #expect(thing.hasChanges && thing.value(forKey: "name") as? String == "after")
            #expect(try folder.stored("ZNAME", "Z_OPT", in: "ZTHING") == ["text 'before'", "integer 1"])
            thing.setValue(nil, forKey: key)
            try context.save()
            #expect(try folder.stored("ZNAME", "Z_OPT", in: "ZTHING") == ["text 'after'", "integer 2"])
            return refusal
        }
    }

    @Test("A value of a class that is not allowed fails the save by name")
    func disallowedClass() throws {
        for key in ["color", "plain"] {
            let refusal = try refusal(key, Stranger())
            #expect(refusal.code == 134060)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == key)
            #expect(refusal.localizedDescription.contains("'\(key)'"))
            #expect(refusal.localizedDescription.contains("Stranger"))
            #expect(refusal.userInfo[NSUnderlyingErrorKey] is NSError)
            try FileManager.default.removeItem(at: folder.file)
        }
    }

    @Test("A value that contains a class that is not allowed fails the save")
    func disallowedContent() throws {
        let refusal = try refusal("plain", [Stranger()] as NSArray)
        #expect(refusal.code == 134060)
        #expect(refusal.localizedDescription.contains("Stranger"))
    }

    @Test("A value of another type than the codable one fails the save")
    func otherCodableType() throws {
        let refusal = try refusal("address", Mood.calm)
        #expect(refusal.code == 134060)
        #expect(refusal.localizedDescription.contains("Mood"))
        #expect(refusal.localizedDescription.contains("Address"))
    }

    @Test("A transformer that returns nil fails the save")
    func transformerReturnsNil() throws {
        let refusal = try refusal("days", [13])
        #expect(refusal.code == 134060)
        #expect(refusal.localizedDescription.contains("'days'"))
    }

    @Test("A transformer that does not return data fails the save")
    func transformerReturnsNoData() throws {
        let refusal = try refusal("days", [0])
        #expect(refusal.code == 134060)
        #expect(refusal.localizedDescription.contains("'days'"))
        #expect(refusal.localizedDescription.contains("DatesToData"))
    }

    @Test("An unregistered transformer name uses secure archives")
    func unregisteredTransformer() throws {
        let coordinator = try folder.open(TransformableFixture.model)
        try coordinator.inContext { context in
            try context.insert("Thing", ["unknown": "value"])
            try context.save()
            context.reset()
            #expect(try context.only("Thing").value(forKey: "unknown") as? String == "value")
        }
        try coordinator.close()
        try FileManager.default.removeItem(at: folder.file)
        #expect(try refusal("unknown", Stranger()).code == 134060)
    }

    @Test("The deprecated transformer is refused with its replacement")
    func deprecatedTransformer() throws {
        let refusal = try refusal("old", ["a"] as NSArray)
        #expect(refusal.code == 134060)
        for word in ["'NSKeyedUnarchiveFromData'", "'old'", "'NSSecureUnarchiveFromData'", "deprecated"] {
            #expect(refusal.localizedDescription.contains(word))
        }
    }

    // MARK: Reading

    /// Bytes that name a class which the attribute's transformer does not allow, or that are no archive at all.
    static let bad: [(String, Data)] = [
        (
            "another class",
            (try? NSKeyedArchiver.archivedData(withRootObject: Stranger(), requiringSecureCoding: true))
                ?? Data()
        ),
        ("noise", Data((0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) })), ("nothing", Data()),
        (
            "half an archive",
            (try? NSKeyedArchiver.archivedData(withRootObject: Color("#1"), requiringSecureCoding: true))?
                .prefix(60) ?? Data()
        ),
    ]

    @Test(
        "An archive that is refused reads as nil and is kept by saves", arguments: bad,
        ["color", "plain", "address"])
    func refusedArchiveIsKept(_ bad: (String, Data), _ key: String) throws {
        try folder.make(TransformableFixture.model)
        try folder.execute(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNAME, ZMOOD, Z\(key.uppercased())) VALUES (1, 1, 1, 'a', '"wild"', ?)
            """, [bad.1])
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            #expect(thing.value(forKey: key) == nil)
            #expect(thing.value(forKey: "name") as? String == "a")
            #expect(thing.value(forKey: "mood") as? Mood == .wild)
            #expect(!thing.hasChanges)
            thing.setValue("b", forKey: "name")
            try context.save()
            #expect(thing.value(forKey: key) == nil)
            thing.setValue("c", forKey: "name")
            try context.save()
        }
        #expect(try folder.value("SELECT Z\(key.uppercased()) FROM ZTHING") == bad.1.databaseValue)
        #expect(try folder.stored("ZNAME", "Z_OPT", in: "ZTHING") == ["text 'c'", "integer 3"])
    }

    @Test("A new value replaces an archive that was refused")
    func newValueReplacesARefusedOne() throws {
        try folder.make(TransformableFixture.model)
        try folder.execute("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZCOLOR) VALUES (1, 1, 1, x'00FF')")
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            thing.setValue(Color("#2"), forKey: "color")
            try context.save()
        }
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            #expect(thing.value(forKey: "color") as? Color == Color("#2"))
            thing.setValue(nil, forKey: "color")
            try context.save()
        }
        #expect(try folder.stored("ZCOLOR", in: "ZTHING") == ["null NULL"])
    }

    @Test("An archive that was refused can be set to nil")
    func refusedValueIsCleared() throws {
        try folder.make(TransformableFixture.model)
        try folder.execute("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZCOLOR) VALUES (1, 1, 1, x'00FF')")
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            #expect(thing.value(forKey: "color") == nil)
            thing.setValue(nil, forKey: "color")
            try context.save()
        }
        #expect(try folder.stored("ZCOLOR", in: "ZTHING") == ["null NULL"])
    }

    @Test("The overwrite policy keeps an archive that was refused")
    func overwriteKeepsARefusedValue() throws {
        try folder.make(TransformableFixture.model)
        try folder.execute(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNAME, ZCOLOR) VALUES (1, 1, 1, 'a', x'00FF')")
        let coordinator = try folder.open(TransformableFixture.model)
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.overwrite
            let thing = try context.only("Thing")
            thing.setValue("mine", forKey: "name")
            try coordinator.inContext { context in
                try context.only("Thing").setValue("theirs", forKey: "name")
                try context.save()
            }
            try context.save()
        }
        #expect(try folder.stored("ZNAME", "ZCOLOR", in: "ZTHING") == ["text 'mine'", "blob X'00FF'"])
    }

    @Test("A value of an unknown transformer is kept as an opaque archive")
    func unknownTransformer() throws {
        try folder.make(TransformableFixture.model)
        try folder.execute("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZUNKNOWN) VALUES (1, 1, 1, x'00FF')")
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            let archive = try #require(thing.value(forKey: "unknown") as? OpaqueArchive)
            #expect(archive.data == Data([0, 0xFF]))
            #expect(archive.reason.contains("'NobodyKnows'"))
            thing.setValue("b", forKey: "name")
            try context.save()
            #expect(try folder.stored("ZUNKNOWN", in: "ZTHING") == ["blob X'00FF'"])
            thing.setValue(nil, forKey: "unknown")
            try context.save()
            thing.setValue(archive, forKey: "unknown")
            try context.save()
        }
        #expect(try folder.stored("ZUNKNOWN", in: "ZTHING") == ["blob X'00FF'"])
    }

    /// Keyed archives of an object of the class NSColor: alone, and in an array.
    private static let colors = [
        "YnBsaXN0MDDUAQIDBAUGBwpZJGFyY2hpdmVyWCR2ZXJzaW9uVCR0b3BYJG9iamVjdHNfEA9OU0tleWVkQXJjaGl2ZXISAAGGoNEI"
            + "CVRyb290gAGjCwwRVSRudWxs0g0ODxBWJGNsYXNzXE5TQ29sb3JTcGFjZYACEAHSEhMUFVokY2xhc3NuYW1lWCRjbGFzc2VzV05T"
            + "Q29sb3KiFBZYTlNPYmplY3QIERskKTJESUxRU1ddYml2eHp/ipObngAAAAAAAAEBAAAAAAAAABcAAAAAAAAAAAAAAAAAAACn",
        "YnBsaXN0MDDUAQIDBAUGBwpZJGFyY2hpdmVyWCR2ZXJzaW9uVCR0b3BYJG9iamVjdHNfEA9OU0tleWVkQXJjaGl2ZXISAAGGoNEI"
            + "CVRyb290gAGlCwwSFhxVJG51bGzSDQ4PEFYkY2xhc3NaTlMub2JqZWN0c4AEoRGAAtINExQVXE5TQ29sb3JTcGFjZYADEAHSFxgZ"
            + "GlokY2xhc3NuYW1lWCRjbGFzc2VzV05TQ29sb3KiGRtYTlNPYmplY3TSFxgdHldOU0FycmF5oh0bCBEbJCkyRElMUVNZX2Rrdnh6"
            + "fIGOkJKXoquztr/EzAAAAAAAAAEBAAAAAAAAAB8AAAAAAAAAAAAAAAAAAADP",
    ]

    /// An object of a class that only other systems have goes from one object to another as it is.
    @Test("An archive of a missing class is kept as an opaque archive", arguments: colors)
    func missingClass(_ text: String) throws {
        let archive = try #require(Data(base64Encoded: text))
        try folder.make(TransformableFixture.model)
        try folder.execute(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZPLAIN) VALUES (1, 1, 1, ?)", [archive])
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            let opaque = try #require(thing.value(forKey: "plain") as? OpaqueArchive)
            #expect(opaque.data == archive)
            #expect(opaque.reason.contains("NSColor"))
            #expect(!thing.hasChanges)
            try context.insert("Thing", ["plain": opaque])
            try context.save()
        }
        #expect(
            try folder.rows("SELECT ZPLAIN FROM ZTHING") == [
                [archive.databaseValue], [archive.databaseValue],
            ])
    }

    @Test("A refused archive is logged with its attribute and class")
    func refusalIsLogged() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in Recorder() }
            let folder = try StoreFolder()
            try folder.make(TransformableFixture.model)
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: Stranger(), requiringSecureCoding: true)
            try folder.execute(
                "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZCOLOR) VALUES (1, 1, 1, ?)", [archive])
            try folder.open(TransformableFixture.model).inContext { context in
                _ = try context.only("Thing").value(forKey: "color")
            }
            let messages = Recorder.messages.filter { $0.0 >= .error }.map(\.1)
            try #require(messages.contains { $0.contains("'color'") && $0.contains("Stranger") })
        }
    }
}

/// Keeps what is logged.
private struct Recorder: LogHandler {
    nonisolated(unsafe) static var messages: [(Logger.Level, String)] = []
    private static let lock = NSLock()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lock.withLock { Self.messages.append((event.level, "\(event.message)")) }
    }
}
