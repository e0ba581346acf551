// swift-tools-version: 6.3

import PackageDescription

// A separate package, so that the other benchmarks need no database: the traits of a package are the same for
// everything built with it.
let package = Package(
    name: "Durability",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bench-durable", targets: ["DurableBench"]),
        // A library for started servers, which makes their syncs take a given time.
        .library(name: "SlowSync", type: .dynamic, targets: ["CSlowSync"]),
    ],
    dependencies: [
        .package(name: "Benchmarks", path: ".."),
        .package(name: "swift-actor-store", path: "../..", traits: ["SQLite", "Postgres", "Redis"]),
    ],
    targets: [
        .target(name: "CSlowSync"),
        .executableTarget(
            name: "DurableBench",
            dependencies: [
                "CSlowSync", .product(name: "Benchmarking", package: "Benchmarks"),
                .product(name: "Propagation", package: "Benchmarks"),
                .product(name: "ActorStore", package: "swift-actor-store"),
                // These contain the modules of the C libraries used by the baselines.
                .product(name: "ActorStoreSQLite", package: "swift-actor-store"),
                .product(name: "ActorStorePostgres", package: "swift-actor-store"),
                .product(name: "ActorStoreRedis", package: "swift-actor-store"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
