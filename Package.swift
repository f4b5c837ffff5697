// swift-tools-version:6.1
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "OpenCoreData",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataMacros", targets: ["CoreDataMacros"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    ],
    targets: [
        .target(name: "CSwiftRuntime"),
        .target(name: "CocoaFoundation", swiftSettings: settings),
        .target(
            name: "ManagedObjectModel",
            dependencies: [
                "CocoaFoundation",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .target(
            name: "CoreData",
            dependencies: [
                "CSwiftRuntime",
                "CocoaFoundation",
                "ManagedObjectModel",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .macro(
            name: "CoreDataMacrosPlugin",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(
            name: "CoreDataMacros", dependencies: ["CoreData", "CoreDataMacrosPlugin"],
            swiftSettings: settings),
        .testTarget(
            name: "CocoaFoundationTests", dependencies: ["CocoaFoundation"], swiftSettings: settings),
        .testTarget(
            name: "ManagedObjectModelTests", dependencies: ["ManagedObjectModel"],
            swiftSettings: settings),
        .testTarget(name: "CoreDataTests", dependencies: ["CoreData"], swiftSettings: settings),
        .testTarget(
            name: "CoreDataMacrosTests",
            dependencies: [
                "CoreDataMacros", "CoreDataMacrosPlugin",
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ],
            swiftSettings: settings),
    ]
)
