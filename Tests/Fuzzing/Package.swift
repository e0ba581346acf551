// swift-tools-version: 6.3

import PackageDescription

// Not a part of the package itself, because all of it, with everything that it fuzzes, is compiled with libFuzzer's
// instruments: `make fuzz` says how.
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
        // Links to the model of a tree dictionary that its tests have.
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
