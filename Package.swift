// swift-tools-version:6.1
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The modules of this package that `CoreData` re-exports.
let stack = [
    "CocoaFoundation", "FullTextSearch", "ManagedObjectModel", "ObjectGraph", "CoreDataSQL", "CoreDataSQLite",
]

let package = Package(
    name: "OpenCoreData",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        // All of the stack: see `rebuildWithTheStack()`.
        .library(name: "CoreData", targets: ["CoreData"] + stack),
        .library(name: "CoreDataMacros", targets: ["CoreDataMacros"]),
        .library(name: "CoreDataOpenCombine", targets: ["CoreDataOpenCombine"]),
        .library(name: "CoreDataTypedPredicates", targets: ["CoreDataTypedPredicates"]),
        .library(name: "CoreSpotlight", targets: ["CoreSpotlight"]),
        .plugin(name: "CoreDataPortPlugin", targets: ["CoreDataPortPlugin"]),
        .executable(name: "coredata", targets: ["CoreDataCommand"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .executable(name: "books", targets: ["books"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // MARK: Libraries
        .target(name: "CSwiftRuntime"),
        .target(
            name: "CSQLiteHardening", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CEmbeddedModels"),
        .target(name: "CocoaFoundation"),
        // Words of texts, queries, and an index in memory. Knows no objects.
        .target(name: "FullTextSearch", dependencies: ["CocoaFoundation"]),
        // All changes of files that are not SQLite's to make. No C: the tools of a client's build use it.
        .target(name: "DurableFiles"),
        .target(
            name: "ManagedObjectModel",
            dependencies: ["CocoaFoundation", "DurableFiles"]),
        // Objects, contexts, coordinator, and the stores that are no database. Knows no SQL.
        .target(
            name: "ObjectGraph",
            dependencies: [
                "CEmbeddedModels",
                "CSwiftRuntime",
                "CZlib",
                "CocoaFoundation",
                "DurableFiles",
                "FullTextSearch",
                "ManagedObjectModel",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // A model as tables, and requests as statements. Knows no database client.
        .target(
            name: "CoreDataSQL",
            dependencies: [
                "CocoaFoundation", "ManagedObjectModel", "ObjectGraph",
            ]),
        .target(
            name: "CoreDataSQLite",
            dependencies: [
                "CSQLiteHardening",
                "CocoaFoundation",
                "CoreDataSQL",
                "DurableFiles",
                "FullTextSearch",
                "ManagedObjectModel",
                "ObjectGraph",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // What clients import: everything below, with SQLite as a type of store.
        .target(
            name: "CoreData", dependencies: ["CocoaFoundation", "CoreDataSQLite", "ObjectGraph"]),
        // Conditions written with key paths. Not in `CoreData`: operators on key paths get in the way of those of other modules.
        .target(
            name: "CoreDataTypedPredicates", dependencies: ["CoreData"]),
        // The delegate that indexes a store, items and queries, for sources that import Apple's module of this name.
        .target(
            name: "CoreSpotlight", dependencies: ["CoreData", "FullTextSearch", "ObjectGraph"]),
        // Publishers, and objects that announce their changes, for clients that use OpenCombine.
        .target(
            name: "CoreDataOpenCombine",
            dependencies: ["CoreData", .product(name: "OpenCombine", package: "OpenCombine")]),

        // MARK: Macros
        .target(
            name: "CoreDataMacroExpansion",
            dependencies: [.product(name: "SwiftSyntaxMacros", package: "swift-syntax")]),
        .macro(
            name: "CoreDataMacrosPlugin",
            dependencies: [
                "CoreDataMacroExpansion",
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ]),
        .target(
            name: "CoreDataMacros", dependencies: ["CoreData", "CoreDataMacrosPlugin"]),

        // MARK: Tools, and plugins that run them
        .target(
            name: "ModelTools", dependencies: ["DurableFiles", "ManagedObjectModel"]),
        .target(
            name: "StoreTools",
            dependencies: ["CoreData", "CoreDataSQL", "CoreDataSQLite", "DurableFiles", "ObjectGraph"]),
        // What a client's build runs: nothing of swift-syntax, Hummingbird or GRDB.
        .executableTarget(
            name: "CoreDataModelGenerator", dependencies: ["ModelTools"]),
        .plugin(
            name: "CoreDataModelPlugin", capability: .buildTool(), dependencies: ["CoreDataModelGenerator"]),
        // Rewrites sources that were written for Apple's platforms.
        .target(
            name: "ModelPorting",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftParserDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        // What a client's build runs: swift-syntax, and what reads models.
        .executableTarget(
            name: "CoreDataPorter", dependencies: ["ModelPorting", "ModelTools"]),
        .plugin(
            name: "CoreDataPortPlugin", capability: .buildTool(), dependencies: ["CoreDataPorter"]),

        // MARK: The command and its pages
        // What the web pages of commands share.
        .target(
            name: "LocalSite", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            resources: [.embedInCode("Page")]),
        .target(
            name: "ModelEditor", dependencies: ["DurableFiles", "LocalSite", "ModelTools"],
            resources: [.embedInCode("Page")]),
        .target(
            name: "StoreBrowser", dependencies: ["LocalSite", "StoreTools"],
            resources: [.embedInCode("Page")]),
        // Not `coredata`: a file system that ignores case would take its folder for that of `CoreData`.
        .executableTarget(
            name: "CoreDataCommand",
            dependencies: [
                "CoreData",
                "DurableFiles",
                "LocalSite",
                "ModelEditor",
                "ModelPorting",
                "ModelTools",
                "StoreBrowser",
                "StoreTools",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // MARK: Examples
        // The sample. It sees what any client sees: public declarations only.
        .target(
            name: "BooksApp",
            dependencies: [
                "CoreData",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            path: "Examples/Books/App",
            resources: [.copy("Books.xcdatamodeld"), .copy("Resources")],
            packageAccess: false),
        .executableTarget(
            name: "books",
            dependencies: ["BooksApp"],
            path: "Examples/Books/Command",
            packageAccess: false),
        // The example of one package for Apple's platforms and others, whose own manifest says the same for both.
        .target(
            name: "SharedModel", dependencies: ["CoreData"], path: "Examples/SharedModel/Sources/SharedModel",
            packageAccess: false, plugins: ["CoreDataModelPlugin"]),

        // MARK: What tests use
        .target(
            name: "TestSupport",
            dependencies: ["DurableFiles", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Tests/TestSupport"),
        // Classes in a module other than that of the tests; it sees what any client sees.
        .target(
            name: "MacroTestLibrary", dependencies: ["CoreDataMacros"], path: "Tests/MacroTestLibrary",
            packageAccess: false),
        // Contexts that work at once: for a test, and, built with ThreadSanitizer, for `scripts/sanitize`.
        .target(
            name: "ContextStress", dependencies: ["CoreData", "TestSupport"], path: "Tests/ContextStress"),
        .executableTarget(
            name: "ContextStressRunner", dependencies: ["ContextStress"], path: "Tests/ContextStressRunner"),
        // A VFS and calls of the C library that fail, die and remember what was synced; the operations on stores that are run
        // with each of those faults, and the program that does it for `scripts/torture`.
        .target(
            name: "TestVFS", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
            path: "Tests/TestVFS"),
        .target(
            name: "Torture",
            dependencies: [
                "CoreData", "StoreTools", "TestSupport", "TestVFS",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Torture"),
        .executableTarget(
            name: "TortureRunner",
            dependencies: ["Torture", .product(name: "Logging", package: "swift-log")],
            path: "Tests/TortureRunner"),
        // Processes that work on one store at once, and stores that lack what they need: both take processes of their own.
        .target(
            name: "CFailingAllocator", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
            path: "Tests/CFailingAllocator"),
        .target(
            name: "ProcessStress",
            dependencies: [
                "CFailingAllocator", "CoreData", "StoreTools", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/ProcessStress"),
        .executableTarget(
            name: "ProcessStressRunner", dependencies: ["ProcessStress"], path: "Tests/ProcessStressRunner"),
        // A process that writes to a store which tests follow.
        .target(
            name: "RemoteChangeWriter", dependencies: ["CoreData"], path: "Tests/RemoteChangeWriter"),
        .executableTarget(
            name: "RemoteChangeRunner", dependencies: ["RemoteChangeWriter"],
            path: "Tests/RemoteChangeRunner"),

        // MARK: Tests
        .testTarget(
            name: "StoreToolsTests",
            dependencies: [
                "CoreDataSQL", "CoreDataSQLite", "ObjectGraph", "StoreTools", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "StoreBrowserTests",
            dependencies: [
                "StoreBrowser", "StoreTools", "TestSupport",
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        .testTarget(
            name: "LocalSiteTests",
            dependencies: ["LocalSite", .product(name: "HummingbirdTesting", package: "hummingbird")]),
        .testTarget(
            name: "ModelEditorTests",
            dependencies: [
                "ModelEditor", "TestSupport", .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        .testTarget(
            name: "CoreDataOpenCombineTests", dependencies: ["CoreDataOpenCombine"], packageAccess: false),
        .testTarget(
            name: "ModelPortingTests", dependencies: ["ModelPorting", "TestSupport"]),
        // Sources of an app for Apple's platforms, ported while they are built.
        .testTarget(
            name: "PortedSourceTests", dependencies: ["CoreData"], exclude: ["AppleSources"],
            resources: [.copy("Library.xcdatamodeld")], packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: ["CoreDataPortPlugin"]),
        .testTarget(
            name: "ProcessStressTests",
            dependencies: ["ProcessStress", "ProcessStressRunner", "TortureRunner", "TestSupport"]),
        .testTarget(
            name: "RemoteChangeTests",
            dependencies: ["CoreData", "RemoteChangeRunner", "RemoteChangeWriter"], packageAccess: false),
        .testTarget(
            name: "CoreDataCommandTests",
            dependencies: ["CoreDataCommand", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")]),
        .testTarget(
            name: "DurableFilesTests", dependencies: ["DurableFiles", "TestSupport"]),
        .testTarget(
            name: "CocoaFoundationTests",
            dependencies: ["CocoaFoundation", "CoreDataTypedPredicates", "TestSupport"]),
        .testTarget(
            name: "CoreSpotlightTests", dependencies: ["CoreData", "CoreSpotlight"], packageAccess: false),
        // Full-text search: the words, the index and what clients call.
        .testTarget(
            name: "SearchTests",
            dependencies: [
                "CoreData", "CoreDataSQLite", "FullTextSearch", "ObjectGraph", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ManagedObjectModelTests",
            dependencies: ["DurableFiles", "ManagedObjectModel", "TestSupport"]),
        .testTarget(
            name: "ModelToolsTests", dependencies: ["ModelTools", "TestSupport"]),
        // Lines of programs that were written for Apple's framework, seen as any client sees them.
        .testTarget(
            name: "RealCodeTests", dependencies: ["CoreData"], path: "Tests/RealCode", packageAccess: false),
        // Classes that the plugin makes, seen as any client sees them.
        .testTarget(
            name: "GeneratedModelTests",
            dependencies: ["CoreData"],
            packageAccess: false,
            plugins: ["CoreDataModelPlugin"]),
        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "CocoaFoundation",
                "ContextStress",
                "CoreData",
                "CoreDataSQL",
                "CoreDataSQLite",
                "CoreDataTypedPredicates",
                "DurableFiles",
                "ObjectGraph",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "BooksTests",
            dependencies: [
                "BooksApp", "TestSupport",
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        .testTarget(
            name: "SharedModelTests", dependencies: ["SharedModel"],
            path: "Examples/SharedModel/Tests/SharedModelTests", packageAccess: false),
        .testTarget(
            name: "CoreDataMacrosTests", dependencies: ["CoreDataMacros", "MacroTestLibrary"]),
        // Not the macros' own target: SwiftPM would build all tests, and what they depend on, for the compiler's use.
        .testTarget(
            name: "CoreDataMacroExpansionTests",
            dependencies: [
                "CoreDataMacroExpansion",
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ]),
    ]
)

/// Has all targets that use `CoreData`, also by way of others, depend on the modules that it re-exports.
///
/// SwiftPM compiles a target again when a module that it depends on by itself has changed. The module `CoreData` stays the same when
/// one that it re-exports changes, and classes of managed objects that were compiled against the former one have wrong offsets.
@MainActor func rebuildWithTheStack() {
    func names(_ target: Target) -> [String] {
        target.dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    func usesCoreData(_ name: String) -> Bool {
        name == "CoreData" || targets[name].map { names($0).contains(where: usesCoreData) } ?? false
    }
    for target in package.targets where target.name != "CoreData" && usesCoreData(target.name) {
        let known = names(target)
        target.dependencies += stack.filter { !known.contains($0) }.map { .target(name: $0) }
    }
}

rebuildWithTheStack()

/// Leaves out targets and products whose names begin so.
@MainActor func leaveOut(_ beginnings: [String]) {
    func isUnwanted(_ name: String) -> Bool { beginnings.contains(where: name.hasPrefix) }
    package.targets.removeAll { isUnwanted($0.name) }
    package.products.removeAll { isUnwanted($0.name) }
}

/// What is compiled with swift-syntax, and what plugins make: SwiftPM builds plugins before anything else.
let madeOfSources = [
    "CoreDataCommand", "CoreDataMacro", "CoreDataModel", "CoreDataOpenCombine", "CoreDataPort",
    "GeneratedModel", "MacroTest",
    "ModelPorting", "PortedSource", "SharedModel", "coredata",
]

// `scripts/sanitize` builds what reads bytes of others, and its tests.
if ProcessInfo.processInfo.environment["OPENCOREDATA_SANITIZING"] != nil {
    leaveOut(madeOfSources + ["Books", "LocalSite", "ModelEditor", "StoreBrowser", "books"])
}

// Only `scripts/fuzz --guided` needs the fuzzers: they link what comes with the compiler's sanitizers.
if ProcessInfo.processInfo.environment["OPENCOREDATA_FUZZING"] != nil {
    // Of the sample its reader of CSV files is built alone, with what is internal in it.
    leaveOut(madeOfSources + ["Books", "books"])
    // Routes are given requests without a server; Hummingbird has this package anyway.
    package.dependencies.append(.package(url: "https://github.com/apple/swift-nio", from: "2.0.0"))
    package.targets += [
        .target(
            name: "BooksCSV", path: "Examples/Books/App/CSV",
            swiftSettings: [.unsafeFlags(["-enable-testing"])]),
        .target(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        .target(
            name: "FuzzerDriver", dependencies: ["CLibFuzzer"], path: "Tests/Fuzzing/FuzzerDriver"),
        .executableTarget(
            name: "ParserFuzzer", dependencies: ["BooksCSV", "FuzzerDriver", "ModelTools"],
            path: "Tests/Fuzzing/ParserFuzzer"),
        .executableTarget(
            name: "StoreFuzzer",
            dependencies: [
                "CoreData", "FuzzerDriver", "StoreTools", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Fuzzing/StoreFuzzer"),
        .executableTarget(
            name: "RouteFuzzer",
            dependencies: [
                "CoreData", "FuzzerDriver", "ModelEditor", "StoreBrowser",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Tests/Fuzzing/RouteFuzzer"),
    ]
}

/// Sources that others have: an app's for Apple's platforms, and an example with a manifest of its own.
let foreignTargets: Set = ["PortedSourceTests", "SharedModel", "SharedModelTests"]
let kindsWithSources: Set<Target.TargetType> = [.regular, .executable, .test, .macro]

for target in package.targets where kindsWithSources.contains(target.type) {
    if foreignTargets.contains(target.name) { continue }
    target.swiftSettings = (target.swiftSettings ?? []) + [.enableUpcomingFeature("ExistentialAny")]
}
