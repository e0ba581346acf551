// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "swift-actor-store",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ActorStore", targets: ["ActorStore"])
    ],
    targets: [
        .target(name: "ActorStore"),
        .testTarget(name: "ActorStoreTests", dependencies: ["ActorStore"]),
    ],
    swiftLanguageModes: [.v6]
)
