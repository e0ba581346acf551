// swift-tools-version: 6.3

import PackageDescription

// A separate package, because its libraries need SQLite, hiredis and libpq, which the rest of the project does not.
let package = Package(
    name: "inventory",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "inventory", targets: ["Inventory"])],
    dependencies: [.package(name: "swift-actor-store", path: "../..", traits: ["Postgres", "Redis", "SQLite"])],
    targets: [
        .executableTarget(
            name: "Inventory",
            dependencies: [
                .product(name: "ActorStore", package: "swift-actor-store"),
                .product(name: "ActorStorePersistence", package: "swift-actor-store"),
                .product(name: "ActorStorePostgres", package: "swift-actor-store"),
                .product(name: "ActorStoreRedis", package: "swift-actor-store"),
                .product(name: "ActorStoreSQLite", package: "swift-actor-store"),
                .product(name: "TreeCollections", package: "swift-actor-store"),
            ]
        ),
        .testTarget(
            name: "InventoryTests",
            dependencies: ["Inventory", .product(name: "ActorStore", package: "swift-actor-store")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
