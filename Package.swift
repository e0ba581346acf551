// swift-tools-version: 6.2

import PackageDescription

// With ACTOR_STORE_EXPLORER=1 in the environment, the interleaving explorer can switch threads at each operation on the
// engine's atomics and locks.
let isExplored = Context.environment["ACTOR_STORE_EXPLORER"] == "1"
let schedulePoints: [SwiftSetting] = isExplored ? [.define("SCHEDULE_POINTS")] : []

let package = Package(
    name: "swift-actor-store",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ActorStore", targets: ["ActorStore"]),
        .library(name: "ActorStoreComposition", targets: ["ActorStoreComposition"]),
        .library(name: "ActorStoreCommands", targets: ["ActorStoreCommands"]),
        .library(name: "ActorStoreGroups", targets: ["ActorStoreGroups"]),
        .library(name: "ActorStoreViews", targets: ["ActorStoreViews"]),
        .library(name: "ActorStoreInstruments", targets: ["ActorStoreInstruments"]),
        .library(name: "ActorStoreFoundation", targets: ["ActorStoreFoundation"]),
        .library(name: "ActorStoreTesting", targets: ["ActorStoreTesting"]),
        .library(name: "ActorStoreSimulation", targets: ["ActorStoreSimulation"]),
        .library(name: "TreeCollections", targets: ["TreeCollections"]),
        .library(name: "ActorStorePersistence", targets: ["ActorStorePersistence"]),
        .library(name: "ActorStoreSQLite", targets: ["ActorStoreSQLite", "ActorStorePersistence"]),
        .library(name: "ActorStoreRedis", targets: ["ActorStoreRedis", "ActorStorePersistence"]),
        .library(name: "ActorStorePostgres", targets: ["ActorStorePostgres", "ActorStorePersistence"]),
        .executable(name: "flightboard", targets: ["FlightBoard"]),
        .plugin(name: "GenerateCasePaths", targets: ["GenerateCasePaths"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "Action logs in SQLite files; needs libsqlite3-dev"),
        .trait(name: "Postgres", description: "Action logs in a PostgreSQL database; needs libpq-dev"),
        .trait(name: "Redis", description: "Action logs in a stream of a Redis server; needs libhiredis-dev"),
    ],
    targets: [
        // Has a thread-local variable, which Swift does not offer.
        .target(name: "CActorStore"),
        .target(name: "ActorStore", dependencies: ["CActorStore", "TreeCollections"], swiftSettings: schedulePoints),
        // Fixtures shared by several test targets.
        .target(
            name: "TestFixtures",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreInstruments", "TreeCollections",
            ],
            path: "Tests/Fixtures"
        ),
        .testTarget(
            name: "ActorStoreTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreGroups",
                "ActorStoreInstruments", "ActorStoreSimulation", "ActorStoreTesting", "ActorStoreViews", "TestFixtures",
                "TreeCollections",
            ]
        ),
        // Compiles the listings of the documentation.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreFoundation",
                "ActorStoreGroups", "ActorStoreInstruments", "ActorStorePersistence", "ActorStorePostgres",
                "ActorStoreRedis", "ActorStoreSQLite", "ActorStoreSimulation", "ActorStoreTesting", "ActorStoreViews",
                "TestFixtures", "TreeCollections",
            ]
        ),
        .testTarget(
            name: "IsolationTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreGroups", "ActorStoreViews",
            ]
        ),
        .testTarget(
            name: "MisuseTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreGroups",
                "ActorStoreInstruments", "ActorStoreSimulation", "ActorStoreTesting", "ActorStoreViews",
                "TreeCollections",
            ]
        ),
        .target(name: "ActorStoreComposition", dependencies: ["ActorStore"]),
        .testTarget(
            name: "ActorStoreCompositionTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreGroups", "ActorStoreSimulation",
                "ActorStoreViews", "TestFixtures", "TreeCollections",
            ]
        ),
        .target(name: "ActorStoreCommands", dependencies: ["ActorStore", "ActorStoreComposition"]),
        .testTarget(
            name: "ActorStoreCommandsTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreSimulation", "TestFixtures",
                "TreeCollections",
            ]
        ),
        .target(name: "ActorStoreGroups", dependencies: ["ActorStore", "TreeCollections"]),
        .testTarget(
            name: "ActorStoreGroupsTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreGroups", "ActorStoreTesting",
                "ActorStoreViews", "TestFixtures", "TreeCollections",
            ]
        ),
        .target(name: "ActorStoreViews", dependencies: ["ActorStore", "ActorStoreComposition"]),
        .testTarget(
            name: "ActorStoreViewsTests",
            dependencies: ["ActorStore", "ActorStoreViews", "TestFixtures"]
        ),
        .target(name: "ActorStoreInstruments", dependencies: ["ActorStore"]),
        .testTarget(
            name: "ActorStoreInstrumentsTests",
            dependencies: ["ActorStore", "ActorStoreInstruments", "TestFixtures", "TreeCollections"]
        ),
        .target(name: "ActorStoreFoundation", dependencies: ["ActorStore", "ActorStoreCommands"]),
        .testTarget(
            name: "ActorStoreFoundationTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreFoundation", "ActorStoreSimulation", "ActorStoreTesting",
            ]
        ),
        .target(name: "ActorStoreTesting", dependencies: ["ActorStore", "ActorStoreComposition"]),
        .testTarget(
            name: "ActorStoreTestingTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreSimulation",
                "ActorStoreTesting", "TestFixtures",
            ]
        ),
        .target(name: "ActorStoreSimulation", dependencies: ["ActorStore", "ActorStoreTesting"]),
        .testTarget(
            name: "ActorStoreSimulationTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreGroups", "ActorStoreSimulation", "TestFixtures",
                "TreeCollections",
            ]
        ),
        .target(name: "TreeCollections"),
        .testTarget(
            name: "TreeCollectionsTests",
            dependencies: ["ActorStoreSimulation", "TreeCollections"]
        ),
        .executableTarget(
            name: "FlightBoard",
            dependencies: ["ActorStore", "ActorStoreComposition", "TreeCollections"],
            path: "Examples/FlightBoard",
            exclude: ["README.md"],
            resources: [.copy("Resources/flights-2013-01.csv")]
        ),
        .testTarget(
            name: "FlightBoardTests",
            dependencies: ["FlightBoard", "ActorStore", "ActorStoreComposition", "TestFixtures", "TreeCollections"]
        ),
        // The program in which `.ci/walk` counts the functions called for an action.
        .executableTarget(name: "Walk", dependencies: ["ActorStore"], path: "Tests/Walk"),
        // Writes case paths into the folders of targets. Builds do not need it.
        .plugin(
            name: "GenerateCasePaths",
            capability: .command(
                intent: .custom(
                    verb: "generate-case-paths",
                    description: "Writes a case path for each case of enums of actions"
                ),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "It writes CasePaths.generated.swift into the folder of each target"
                    )
                ]
            ),
            dependencies: ["CasePathTool"]
        ),
        .executableTarget(name: "CasePathTool"),
        .testTarget(name: "CasePathToolTests", dependencies: ["CasePathTool", "ActorStore", "ActorStoreTesting"]),
        .target(name: "ActorStorePersistence", dependencies: ["ActorStore", "TreeCollections"]),
        // The tests that each engine of an `ActionLog` must pass.
        .target(
            name: "ActionLogConformance",
            dependencies: ["ActorStore", "ActorStorePersistence", "ActorStoreSimulation"],
            path: "Tests/ActionLogConformance"
        ),
        .testTarget(
            name: "ActorStorePersistenceTests",
            dependencies: [
                "ActionLogConformance", "ActorStore", "ActorStoreFoundation", "ActorStorePersistence",
                "ActorStoreSimulation", "ActorStoreTesting", "TestFixtures", "TreeCollections",
            ]
        ),
        // Empty without the trait SQLite.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "ActorStoreSQLite",
            dependencies: [
                "ActorStore", "ActorStorePersistence", .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        // Intercepts the system calls of a process, to record them or to make them fail.
        .target(name: "CFileFaults", path: "Tests/CFileFaults"),
        // A process that the tests kill.
        .executableTarget(
            name: "StorageWorkload",
            dependencies: [
                "ActionLogConformance", "ActorStore", "ActorStorePersistence", "ActorStoreSQLite",
                .target(name: "CFileFaults", condition: .when(platforms: [.linux], traits: ["SQLite"])),
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/StorageWorkload"
        ),
        .executableTarget(
            name: "DurabilityWorkload",
            dependencies: ["ActionLogConformance", "ActorStore", "ActorStorePersistence", "ActorStoreSQLite"],
            path: "Tests/DurabilityWorkload"
        ),
        .testTarget(
            name: "ActorStoreSQLiteTests",
            dependencies: [
                "ActionLogConformance", "ActorStore", "ActorStoreComposition", "ActorStoreFoundation",
                "ActorStorePersistence", "ActorStoreSQLite", "ActorStoreSimulation", "ActorStoreTesting",
                "DurabilityWorkload", "StorageWorkload",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        // Empty without the trait Postgres.
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "ActorStorePostgres",
            dependencies: [
                "ActorStorePersistence", .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
            ]
        ),
        .testTarget(
            name: "ActorStorePostgresTests",
            dependencies: [
                "ActionLogConformance", "ActorStorePersistence", "ActorStorePostgres",
                .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
            ]
        ),
        // Empty without the trait Redis.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(
            name: "ActorStoreRedis",
            dependencies: [
                "ActorStorePersistence", .target(name: "CHiredis", condition: .when(traits: ["Redis"])),
            ]
        ),
        .testTarget(
            name: "ActorStoreRedisTests",
            dependencies: ["ActionLogConformance", "ActorStore", "ActorStorePersistence", "ActorStoreRedis"]
        ),
        // Changes the clock of processes that the tests start. The tests build it as a library for LD_PRELOAD.
        .target(name: "CClockSteps", path: "Tests/CClockSteps"),
        // A process with a durable store or a replica, for the tests to kill.
        .executableTarget(
            name: "ReplicationWorkload",
            dependencies: [
                "ActorStore", "ActorStoreFoundation", "ActorStorePersistence", "ActorStorePostgres", "ActorStoreRedis",
            ],
            path: "Tests/ReplicationWorkload"
        ),
    ],
    swiftLanguageModes: [.v6]
)

if isExplored {
    package.targets += [
        .target(name: "CExplorer", path: "Tests/CExplorer"),
        .testTarget(
            name: "ActorStoreExplorerTests",
            dependencies: [
                "ActorStore", "ActorStoreCommands", "ActorStoreComposition", "ActorStoreGroups",
                "ActorStoreInstruments", "CExplorer",
            ],
            swiftSettings: schedulePoints
        ),
    ]
}

// They start servers and processes, and use calls that only Linux has.
#if os(Linux)
    package.targets.append(
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "ActionLogConformance", "ActorStore", "ActorStorePersistence", "ActorStoreSimulation",
                "ReplicationWorkload",
            ]
        )
    )
#endif
