public import Clocks
public import HTTPModel

/// An instance, or any other responder, that does not always answer as it should: for rehearsing what a client does then.
///
/// What happens follows from the seed and from how many requests each fault has met, so that the same requests one
/// after another meet the same faults. The first fault is the outermost: a request that it answers meets no other.
public final class Faults: Responder {
    private let layers: [FaultLayer]
    private let responder: any Responder

    /// Puts faults around a responder.
    ///
    /// - Parameters:
    ///   - seed: decides whatever is left to chance.
    ///   - clock: what dates and limits are told by.
    ///   - sleep: waits, for latency.
    public init(
        _ faults: [Fault], around responder: any Responder, seed: UInt64 = 1, clock: ServiceClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.responder = responder
        // Two faults of one kind must not draw the same lots.
        layers = faults.enumerated().map { index, fault in
            FaultLayer(fault, seed: RandomSource.mixed(seed) &+ UInt64(index), clock: clock, sleep: sleep)
        }
    }

    /// How often each fault could have happened, and how often it has, in the order in which they were given.
    public var counts: [FaultCount] {
        layers.map(\.counts)
    }

    /// Reads the request whole, up to 1 MiB, and answers it through the faults.
    public func receive(_ head: RequestHead) -> Reception {
        .body(limit: 1 << 20, tooLarge: { InstanceError.bodyTooLarge.response }) { [self] request in
            await respond(to: request, from: 0)
        }
    }

    private func respond(to request: Request, from index: Int) async -> Response {
        guard index < layers.count else { return await responder.respond(to: request) }
        return await layers[index].respond(to: request) { await self.respond(to: $0, from: index + 1) }
    }
}

/// What one fault has done.
public struct FaultCount: Sendable, Equatable {
    /// The fault.
    public var fault: Fault
    /// How many requests, or for a fault that changes answers, how many answers it could have happened to.
    public var requests: Int
    /// How many it has happened to.
    public var times: Int
}
