// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "bench", targets: ["Bench"])],
    dependencies: [.package(name: "swift-actor-store", path: "..")],
    targets: [
        .target(name: "BlackHole"),
        .executableTarget(
            name: "Bench",
            dependencies: ["BlackHole", .product(name: "ActorStore", package: "swift-actor-store")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
