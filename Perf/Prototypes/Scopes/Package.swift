// swift-tools-version: 6.0

import PackageDescription

// Measures how fast an action passes scopes that are closures, classes or values of a protocol: `swift run -c release
// Scopes`. The implementations are in a separate module, as in the store.
let package = Package(
    name: "ScopesPrototype",
    targets: [
        .target(name: "Ways"),
        .executableTarget(name: "Scopes", dependencies: ["Ways"]),
    ]
)
