// swift-tools-version:6.1
import PackageDescription

// Elsewhere than on Apple's platforms Core Data is OpenCoreData.
let elsewhere: TargetDependencyCondition? = .when(platforms: [.linux, .android, .windows])

// A plugin takes no condition. Xcode itself makes the classes of a model, and puts the compiled model among the resources.
#if os(macOS)
let models: [Resource] = [.process("Journal.xcdatamodeld")]
let plugins: [Target.PluginUsage] = []
#else
let models: [Resource] = []
let plugins: [Target.PluginUsage] = [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]
#endif

let package = Package(
    name: "SharedModel",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "SharedModel", targets: ["SharedModel"])],
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        .target(
            name: "SharedModel",
            dependencies: [.product(name: "CoreData", package: "OpenCoreData", condition: elsewhere)],
            resources: models, plugins: plugins),
        .testTarget(name: "SharedModelTests", dependencies: ["SharedModel"]),
    ]
)
