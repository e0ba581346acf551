// swift-tools-version: 6.3

import PackageDescription

// A separate package, because all of it, with everything that it fuzzes, is compiled with libFuzzer's instrumentation:
// see `make fuzz`.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-actor-store", path: "../.."),
        .package(name: "Benchmarks", path: "../../Benchmarks"),
    ],
    targets: [
        .target(name: "CFuzzer"),
        // The demo, for its parsers: a program cannot be imported from another package, so these are links to its
        // sources.
        .target(
            name: "FlightReading",
            dependencies: [
                .product(name: "ActorStore", package: "swift-actor-store"),
                .product(name: "ActorStoreComposition", package: "swift-actor-store"),
                .product(name: "TreeCollections", package: "swift-actor-store"),
            ]
        ),
        // Links to the tree dictionary's model of its tests.
        .target(
            name: "TreeModel",
            dependencies: [
                .product(name: "ActorStoreSimulation", package: "swift-actor-store"),
                .product(name: "TreeCollections", package: "swift-actor-store"),
            ]
        ),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzer", "FlightReading", "TreeModel",
                .product(name: "ActorStore", package: "swift-actor-store"),
                .product(name: "ActorStoreCommands", package: "swift-actor-store"),
                .product(name: "ActorStoreComposition", package: "swift-actor-store"),
                .product(name: "ActorStoreGroups", package: "swift-actor-store"),
                .product(name: "TreeCollections", package: "swift-actor-store"),
                .product(name: "Benchmarking", package: "Benchmarks"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
