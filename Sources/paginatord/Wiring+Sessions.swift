import EventLoops
import Glibc
import Observability
import RedisSessions
import SQLiteSessions
import Sessions
import TableAPI

/// Why sessions cannot be kept as configured.
struct SessionStorageError: Error, CustomStringConvertible {
    /// One line for a person.
    var description: String
}

/// The store of the sessions, and how it is put away.
struct OpenSessionStore {
    /// The store.
    var store: any SessionStore
    /// The server that it is on, where replicas share it.
    var redis: RedisClient?
    /// Puts it away, once nobody asks it any more.
    var close: @Sendable () async -> Void

    /// Opens the store. A data directory that is not there is made; a Redis server need not be there yet.
    ///
    /// - Throws: `SessionStorageError`.
    init(
        _ storage: SessionStorage, configuration: Configuration, group: EventLoopGroup, observer: any Observer
    ) async throws(SessionStorageError) {
        let sessions = configuration.sessions
        let onChange: @Sendable (String?) -> Void = { reason in
            observer.observe(reason.map { .storeUnavailable(reason: $0) } ?? .storeAvailable)
        }
        switch storage {
        case .memory:
            store = MemorySessionStore(replayMemory: sessions.replayMemory, maxPageBytes: sessions.replayPageBytes)
            close = {}
        case .redis(let location):
            let client = RedisClient(
                RedisConfiguration(
                    address: location.address, database: location.database, username: sessions.redisUsername,
                    password: sessions.redisPassword), on: group, onChange: onChange)
            let shared = RedisSessionStore(
                client, memory: sessions.replayMemory, maxPageBytes: sessions.replayPageBytes,
                sharesOwners: configuration.forwards)
            // Connected before the first request comes, if it is there.
            try? await shared.check()
            store = shared
            redis = client
            close = {
                await shared.shutdown()
                await client.shutdown()
            }
        case .file(let path):
            if let directory = configuration.dataDirectory, mkdir(directory, 0o700) != 0, errno != EEXIST {
                let reason = systemReason()
                throw SessionStorageError(description: "the data directory \(directory) cannot be made: \(reason)")
            }
            do {
                let file = try await SQLiteSessionStore.open(
                    path, memory: sessions.replayMemory, maxPageBytes: sessions.replayPageBytes,
                    ownerKey: configuration.forwards ? .ofForwardedAuthorization : nil, onChange: onChange)
                store = file
                close = { await file.close() }
            } catch {
                throw SessionStorageError(description: error.description)
            }
        }
    }

    /// Tells where the sessions are kept. Whether that works is told whenever it changes.
    func report(_ storage: SessionStorage, to observer: any Observer) async {
        switch storage {
        case .memory: observer.observe(.sessionsInMemory)
        case .file(let path):
            observer.observe(.sessionsInFile(path: path))
            // A file that could be opened may have no room.
            try? await store.check()
        case .redis(let location):
            observer.observe(
                .sessionsInRedis(address: location.address.description, database: location.database))
        }
    }
}

extension FileOwnerKey {
    /// The one that callers of an instance with `auth.type` "forward" are named by.
    fileprivate static var ofForwardedAuthorization: FileOwnerKey {
        FileOwnerKey(current: { ForwardedAuthorization.key }, adopt: { ForwardedAuthorization.share(key: $0) })
    }
}
