// swift-tools-version: 6.0

import PackageDescription

// How fast an action goes through scopes that are closures, classes or values of a protocol: `swift run -c release Scopes`.
// The ways are a module of their own, as they are in the store.
let package = Package(
    name: "ScopesPrototype",
    targets: [
        .target(name: "Ways"),
        .executableTarget(name: "Scopes", dependencies: ["Ways"]),
    ]
)
