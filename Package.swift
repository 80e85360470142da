// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// A target that wraps a C library; its unsafety is reviewed by hand ("Safe because …").
func wrapper(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A target of values only: the compiler checks that nothing in it is unsafe.
func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + [.strictMemorySafety()])
}

func tests(of name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, resources: resources,
        swiftSettings: settings)
}

let package = Package(
    name: "paginatord",
    products: [
        .executable(name: "paginatord", targets: ["paginatord"]),
        .library(name: "TablePagination", targets: ["TablePagination"]),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("gnutls")]),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),

        pure("Locks"),
        pure("Clocks"),
        pure("HTTPModel"),
        pure("Pagination", ["Locks"]),
        wrapper("EventLoops", ["CUV", "Locks"]),
        wrapper("HTTPServer", ["HTTPModel", "EventLoops", "CMicroHTTPD"]),
        wrapper("HTTPClient", ["HTTPModel", "EventLoops", "CCurl"]),
        wrapper("SimdJSON", ["Pagination", "HTTPModel", "CSimdJSON"]),
        pure("TableAPI", ["Pagination", "HTTPModel", "Locks", "SimdJSON"]),
        pure("RecordFormats", ["Pagination", "SimdJSON"]),
        pure("TablePagination", ["Pagination", "TableAPI", "HTTPModel", "HTTPClient", "EventLoops", "Locks"]),
        pure("Sessions", ["Pagination", "Locks", "Clocks"]),
        wrapper("SQLite", ["CSQLite", "Locks"]),
        wrapper(
            "RedisSessions", ["Sessions", "TableAPI", "Pagination", "EventLoops", "CHiredis", "Clocks", "Locks"]),
        wrapper("Observability", ["Locks", "Clocks"]),
        pure(
            "Gateway",
            [
                "Sessions", "TableAPI", "RecordFormats", "SimdJSON", "Pagination", "HTTPModel", "Observability",
                "Clocks", "Locks",
            ]),
        pure("SQLiteSessions", ["Sessions", "SQLite", "Pagination", "Clocks", "Locks"]),
        pure("DemoInstance", ["HTTPModel", "SQLite", "Clocks", "Locks"]),
        .executableTarget(
            name: "paginatord",
            dependencies: [
                "Gateway", "Sessions", "SQLiteSessions", "RedisSessions", "TableAPI", "RecordFormats", "Pagination",
                "HTTPModel", "HTTPServer", "HTTPClient", "EventLoops", "DemoInstance", "Observability", "Clocks",
                "CMalloc",
            ],
            swiftSettings: settings),
        pure("PaginatordTesting", ["HTTPModel", "Pagination", "Sessions", "Clocks", "Locks"]),

        tests(of: "HTTPModel", ["SimdJSON", "PaginatordTesting"]),
        tests(of: "SimdJSON", ["HTTPModel", "Pagination", "PaginatordTesting"]),
        tests(of: "Pagination", ["PaginatordTesting"]),
        tests(of: "RecordFormats", ["Pagination", "PaginatordTesting"]),
        tests(of: "EventLoops", ["PaginatordTesting"]),
        tests(of: "HTTPServer", ["PaginatordTesting", "EventLoops", "HTTPModel"]),
        tests(of: "HTTPClient", ["PaginatordTesting", "EventLoops", "HTTPModel", "HTTPServer"]),
        tests(of: "TableAPI", ["PaginatordTesting", "Pagination", "HTTPModel", "Locks", "SimdJSON", "Clocks"]),
        tests(
            of: "TablePagination",
            ["PaginatordTesting", "DemoInstance", "HTTPServer", "HTTPClient", "EventLoops", "Clocks"]),
        tests(of: "Sessions", ["PaginatordTesting", "Pagination", "Clocks"]),
        tests(of: "SQLite", []),
        tests(
            of: "RedisSessions",
            ["PaginatordTesting", "Sessions", "TableAPI", "Pagination", "EventLoops", "Clocks", "Locks"]),
        tests(of: "SQLiteSessions", ["PaginatordTesting", "Sessions", "SQLite", "Pagination", "Clocks", "Locks"]),
        tests(of: "Clocks", []),
        tests(of: "Observability", ["Clocks"]),
        tests(
            of: "Gateway",
            [
                "PaginatordTesting", "Sessions", "TableAPI", "SimdJSON", "Pagination", "HTTPModel", "Observability",
                "Clocks", "DemoInstance", "RecordFormats", "Locks",
            ]),
        tests(of: "DemoInstance", ["PaginatordTesting", "HTTPModel", "SQLite", "Clocks", "SimdJSON"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "paginatord", "HTTPModel", "HTTPClient", "HTTPServer", "EventLoops", "DemoInstance",
                "PaginatordTesting",
            ],
            swiftSettings: settings),
        tests(
            of: "paginatord",
            [
                "PaginatordTesting", "Gateway", "TableAPI", "RecordFormats", "Clocks", "HTTPModel", "HTTPServer",
                "HTTPClient", "EventLoops", "Pagination", "RedisSessions",
            ]),
        .testTarget(
            name: "RequestCasesTests",
            dependencies: [
                "paginatord", "Gateway", "Sessions", "TableAPI", "Pagination", "HTTPModel", "HTTPServer", "EventLoops",
                "DemoInstance", "Observability", "Clocks", "PaginatordTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "UpstreamCasesTests",
            dependencies: [
                "Gateway", "Sessions", "TableAPI", "Pagination", "HTTPModel", "HTTPServer", "HTTPClient", "EventLoops",
                "DemoInstance", "Observability", "Clocks", "SimdJSON", "PaginatordTesting",
            ],
            swiftSettings: settings),
    ],
    cxxLanguageStandard: .cxx17
)

// What is fuzzed is one set of functions, which the fuzzer calls (`make fuzz`), and a test with the inputs that are kept.
let fuzzed: [Target.Dependency] = [
    "Clocks", "HTTPModel", "Pagination", "SimdJSON", "TableAPI", "Sessions", "RedisSessions", "Gateway",
    "Observability", "DemoInstance", "EventLoops", "HTTPServer", "CHiredis", "paginatord",
]
if Context.environment["PAGINATORD_FUZZING"] == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzingTests", dependencies: fuzzed, path: "Fuzzing",
            exclude: ["Driver", "Corpus", "Dictionaries", "run"], sources: ["Targets", "Tests"],
            swiftSettings: settings))
} else {
    // libFuzzer brings the main function, and no executable can be linked into another one: the program's code without its
    // entry point is then a library.
    package.products.removeAll { $0.name == "paginatord" }
    package.targets = package.targets.filter { !$0.isTest }.map { target in
        guard target.name == "paginatord" else { return target }
        return .target(
            name: target.name, dependencies: target.dependencies, exclude: ["Paginatord.swift"],
            swiftSettings: target.swiftSettings)
    }
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: fuzzed, path: "Fuzzing", exclude: ["Tests", "Corpus", "Dictionaries", "run"],
            sources: ["Targets", "Driver"], swiftSettings: settings))
}
