import Testing

@testable import paginatord

struct SessionStorageTests {
    private func storage(
        _ variables: [String: String], dataDirectory: String? = nil, isDemo: Bool = false
    ) throws -> SessionStorage {
        let environment = ["PAGINATORD_INSTANCE_URL": "https://a.example"].merging(variables) { $1 }
        let configuration = try Configuration(
            from: ConfigurationSource(
                environment: isDemo ? variables : environment, isDemo: isDemo, dataDirectory: dataDirectory))
        #expect(configuration.warnings == [])
        return try configuration.sessionStorage(isDemo: isDemo)
    }

    @Test("Without a data directory sessions are in memory, with one in a file there, but for the demo's")
    func defaults() throws {
        #expect(try storage([:]) == .memory)
        #expect(try storage(["PAGINATORD_DATA_DIRECTORY": "/data"]) == .file(path: "/data/sessions.db"))
        #expect(try storage([:], dataDirectory: "data") == .file(path: "data/sessions.db"))
        let both = try storage(["PAGINATORD_DATA_DIRECTORY": "/data"], dataDirectory: "/other")
        #expect(both == .file(path: "/other/sessions.db"))
        #expect(try storage(["PAGINATORD_DATA_DIRECTORY": "/data"], isDemo: true) == .memory)
    }

    @Test("What is configured wins, in the demo too; a relative path starts from the data directory")
    func configured() throws {
        let name = "PAGINATORD_SESSIONS_STORE"
        for isDemo in [true, false] {
            #expect(try storage([name: "memory"], dataDirectory: "/data", isDemo: isDemo) == .memory)
            let relative = try storage([name: "sqlite:a/b.db"], dataDirectory: "/data", isDemo: isDemo)
            #expect(relative == .file(path: "/data/a/b.db"))
            let absolute = try storage([name: "sqlite:/a/b.db"], dataDirectory: "/data", isDemo: isDemo)
            #expect(absolute == .file(path: "/a/b.db"))
        }
        #expect(try storage([name: "sqlite:/a/b.db"]) == .file(path: "/a/b.db"))
        let failure = #expect(throws: ConfigurationFailure.self) { try storage([name: "sqlite:b.db"]) }
        #expect(failure?.problems.map(\.path) == ["sessions.store"])
    }

    @Test("What is no store is named", arguments: ["sqlite:", "sqlite", "file.db", "SQLite:a", "valkey://a"])
    func wrong(text: String) {
        let failure = #expect(throws: ConfigurationFailure.self) { try storage(["PAGINATORD_SESSIONS_STORE": text]) }
        #expect(
            failure?.problems.map(\.description) == [
                "sessions.store: expected \"memory\", \"sqlite:PATH\", \"redis://HOST:PORT/DATABASE\" or "
                    + "\"redis+unix:/PATH?db=DATABASE\" but found \"\(text)\" in PAGINATORD_SESSIONS_STORE"
            ])
    }
}
