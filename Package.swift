// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "swift-actor-store",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ActorStore", targets: ["ActorStore"]),
        .library(name: "ActorStoreFoundation", targets: ["ActorStoreFoundation"]),
        .library(name: "ActorStoreTesting", targets: ["ActorStoreTesting"]),
        .library(name: "TreeCollections", targets: ["TreeCollections"]),
        .library(name: "ActorStoreJournal", targets: ["ActorStoreJournal"]),
        .executable(name: "flightboard", targets: ["FlightBoard"]),
    ],
    traits: [
        .trait(name: "Journal", description: "Stores whose actions are kept in a file, which needs libsqlite3-dev")
    ],
    targets: [
        .target(name: "ActorStore", dependencies: ["TreeCollections"]),
        .testTarget(name: "ActorStoreTests", dependencies: ["ActorStore", "TreeCollections"]),
        .target(name: "ActorStoreFoundation", dependencies: ["ActorStore"]),
        .testTarget(name: "ActorStoreFoundationTests", dependencies: ["ActorStoreFoundation", "ActorStore"]),
        .target(name: "ActorStoreTesting", dependencies: ["ActorStore"]),
        .testTarget(name: "ActorStoreTestingTests", dependencies: ["ActorStoreTesting", "ActorStore"]),
        .target(name: "TreeCollections"),
        .testTarget(name: "TreeCollectionsTests", dependencies: ["TreeCollections"]),
        .executableTarget(
            name: "FlightBoard",
            dependencies: ["ActorStore", "TreeCollections"],
            path: "Examples/FlightBoard",
            exclude: ["README.md"],
            resources: [.copy("Resources/flights-2013-01.csv")]
        ),
        .testTarget(name: "FlightBoardTests", dependencies: ["FlightBoard", "ActorStore", "TreeCollections"]),
        // Empty without the trait Journal.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "ActorStoreJournal",
            dependencies: ["ActorStore", .target(name: "CSQLite", condition: .when(traits: ["Journal"]))]
        ),
        .executableTarget(
            name: "JournalWorkload",
            dependencies: [
                "ActorStore", "ActorStoreJournal", .target(name: "CSQLite", condition: .when(traits: ["Journal"])),
            ]
        ),
        .testTarget(
            name: "ActorStoreJournalTests",
            dependencies: [
                "ActorStore", "ActorStoreJournal", "JournalWorkload",
                .target(name: "CSQLite", condition: .when(traits: ["Journal"])),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
