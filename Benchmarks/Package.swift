// swift-tools-version: 6.3

import PackageDescription

// Allocations are counted by jemalloc, which then serves the whole process. Without it the same benchmarks run with the
// system's allocator: BENCHMARK_DISABLE_JEMALLOC=1 swift run -c release bench
let usesJemalloc = Context.environment["BENCHMARK_DISABLE_JEMALLOC"] == nil

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Benchmarking", targets: ["Benchmarking"]),
        .library(name: "Propagation", targets: ["Propagation"]),
        .executable(name: "bench", targets: ["Bench"]),
        .executable(name: "soak", targets: ["Soak"]),
    ],
    dependencies: [.package(name: "swift-actor-store", path: "..")],
    targets: [
        .target(
            name: "CMeasurement",
            dependencies: usesJemalloc ? ["CJemalloc"] : [],
            cSettings: usesJemalloc ? [.define("MEASURE_WITH_JEMALLOC")] : []
        ),
        .target(name: "Benchmarking", dependencies: ["CMeasurement"]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                // A program that one of the suites starts.
                "ColdStart",
                "Benchmarking", .product(name: "ActorStore", package: "swift-actor-store"),
                .product(name: "ActorStoreCommands", package: "swift-actor-store"),
                .product(name: "ActorStoreComposition", package: "swift-actor-store"),
                .product(name: "ActorStoreGroups", package: "swift-actor-store"),
                .product(name: "ActorStoreInstruments", package: "swift-actor-store"),
                .product(name: "ActorStoreViews", package: "swift-actor-store"),
                .product(name: "TreeCollections", package: "swift-actor-store"),
            ]
        ),
        // First operations of a process.
        .executableTarget(
            name: "ColdStart",
            dependencies: [.product(name: "ActorStore", package: "swift-actor-store")]
        ),
        .testTarget(name: "BenchmarkingTests", dependencies: ["Benchmarking"]),
        // Messages of processes about received signals, independent of stores and databases.
        .target(name: "Propagation", dependencies: ["Benchmarking"]),
        .testTarget(name: "PropagationTests", dependencies: ["Benchmarking", "Propagation"]),
        // The checks of a soak: plain values, independent of stores.
        .target(name: "Soaking"),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "Benchmarking", "Soaking", .product(name: "ActorStore", package: "swift-actor-store"),
                .product(name: "ActorStoreGroups", package: "swift-actor-store"),
            ]
        ),
        .testTarget(name: "SoakingTests", dependencies: ["Soaking"]),
    ]
        + (usesJemalloc
            ? [.systemLibrary(name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])])] : []),
    swiftLanguageModes: [.v6]
)
