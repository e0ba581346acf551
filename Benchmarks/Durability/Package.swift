// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that the other benchmarks need no database: the traits of a package are the same for
// everything that is built with it.
let package = Package(
    name: "Durability",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bench-durable", targets: ["DurableBench"]),
        // What servers are started with, so that their syncs take a given time.
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
                // These bring the modules of the C libraries, which the baselines use.
                .product(name: "ActorStoreSQLite", package: "swift-actor-store"),
                .product(name: "ActorStorePostgres", package: "swift-actor-store"),
                .product(name: "ActorStoreRedis", package: "swift-actor-store"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
