// swift-tools-version:6.1
import PackageDescription

let package = Package(
    name: "SharedModel",
    products: [.library(name: "SharedModel", targets: ["SharedModel"])],
    dependencies: [.package(name: "OpenCoreData", path: "../OpenCoreData")],
    targets: [
        .target(
            name: "SharedModel",
            dependencies: [.product(name: "CoreData", package: "OpenCoreData")],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")]),
        .testTarget(name: "SharedModelTests", dependencies: ["SharedModel"]),
    ]
)
