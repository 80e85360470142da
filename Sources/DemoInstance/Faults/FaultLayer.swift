internal import Clocks
internal import HTTPModel
internal import Synchronization

/// One fault around whatever answers behind it, with its count of the requests that could meet it.
final class FaultLayer: Sendable {
    /// The fault.
    let fault: Fault
    private let seed: UInt64
    private let clock: ServiceClock
    private let sleep: @Sendable (Duration) async throws -> Void
    private let seen = Atomic(0)
    private let met = Atomic(0)

    /// Makes the layer.
    init(
        _ fault: Fault, seed: UInt64, clock: ServiceClock, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.fault = fault
        self.seed = seed
        self.clock = clock
        self.sleep = sleep
    }

    /// How often it could have happened, and how often it has.
    var counts: FaultCount {
        FaultCount(
            fault: fault, requests: seen.load(ordering: .relaxed), times: met.load(ordering: .relaxed))
    }

    /// Answers a request, or has it answered by what stands behind.
    func respond(to request: Request, next: (Request) async -> Response) async -> Response {
        switch fault.kind {
        case .latency(let mean, let jitter):
            if let number = take() {
                let share = RandomSource.fraction(chance(number)) * 2 - 1
                // A cancelled wait only means that nobody waits for the answer any more.
                try? await sleep(max(.zero, mean + jitter * share))
            }
            return await next(request)
        case .shrink(let by, let most):
            return await drift(request, next) { Self.changed($0, by, most) }
        case .grow(let by, let most):
            return await drift(request, next) { most - Self.changed($0, by, most) }
        case .rateLimit, .status, .hibernate, .drop, .empty, .login, .unauthorized:
            // The instance's own refusals are about its interface, not about its tokens; what stands before it does not
            // look at paths.
            guard !isOnlyInterfaces || request.head.target.hasPrefix("/api/"), take() != nil,
                let refusal = fault.kind.refusal(now: clock.now())
            else { return await next(request) }
            return refusal
        case .truncate, .appendError, .hide, .noCount, .links, .badRow:
            let response = await next(request)
            guard let answer = Answer(response, to: request.head), Alteration.applies(fault.kind, to: answer),
                let number = take()
            else { return response }
            return Alteration(kind: fault.kind, chance: chance(number), seed: seed).response(answer)
        }
    }

    private var isOnlyInterfaces: Bool {
        switch fault.kind {
        case .rateLimit, .empty, .unauthorized: true
        default: false
        }
    }

    /// Counts a request that can meet the fault; its number if it does.
    private func take() -> Int? {
        let number = seen.wrappingAdd(1, ordering: .relaxed).newValue
        guard fault.occurrence.includes(number, seed: seed) else { return nil }
        met.wrappingAdd(1, ordering: .relaxed)
        return number
    }

    private func chance(_ number: Int) -> UInt64 {
        RandomSource.mixed(RandomSource.mixed(seed) ^ UInt64(number))
    }

    /// How many records have gone or come after so many changes.
    private static func changed(_ times: Int, _ by: Int, _ most: Int) -> Int {
        let (count, overflows) = times.multipliedReportingOverflow(by: max(0, by))
        return overflows ? most : min(most, count)
    }

    /// A list changes between requests: the one that brings the change about is still answered from the list before.
    private func drift(
        _ request: Request, _ next: (Request) async -> Response, missing: (Int) -> Int
    ) async -> Response {
        let before = met.load(ordering: .relaxed)
        guard let list = DriftedList(request.head, missing: missing(before)) else { return await next(request) }
        _ = take()
        return list.response(await next(Request(list.request, body: request.body)))
    }
}
