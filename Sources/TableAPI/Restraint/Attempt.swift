import HTTPModel
import Pagination

/// One request for a window and what came of it: for the caller, for the next attempt, and for the gate.
struct Attempt {
    /// What could help where there is no page.
    enum Remedy: Equatable {
        /// Nothing that the service can do.
        case none
        /// The same request again, after so many seconds where the instance said so.
        case again(after: Int?)
        /// A smaller window, where this one can be divided.
        case smaller
        /// A smaller window, or the same request again where it cannot be divided.
        case smallerOrAgain
    }

    /// The page, or what to tell the caller if nothing helps.
    let result: Result<PageAnswer, PageSourceError>
    /// What could help.
    let remedy: Remedy
    /// What it shows of the instance.
    let report: RequestReport

    private init(result: Result<PageAnswer, PageSourceError>, remedy: Remedy, report: RequestReport) {
        self.result = result
        self.remedy = remedy
        self.report = report
    }

    /// An attempt that was not made, because the time for it was up.
    static let tooLate = Attempt(result: .failure(.timedOut(nil)), remedy: .none, report: RequestReport(.unknown))

    /// An attempt that was answered.
    ///
    /// - Parameter now: the present, in seconds since 1970.
    init(_ response: IncomingResponse, countOnly: Bool, now: @escaping @Sendable () -> Int) {
        var allowance = RateAllowance(response.headers, now: now)
        do throws(PageSourceError) {
            result = .success(try TableAnswer(response, now: now).page(countOnly: countOnly))
            remedy = .none
            report = RequestReport(.answered, allowance: allowance)
        } catch {
            var error = error
            var outcome = RequestOutcome.answered
            let retryAfter = response.headers.retryAfter(now: now)
            switch (response.status, error) {
            case (429, _):
                let wait = retryAfter ?? allowance.map { wholeSeconds($0.resetsIn) }
                if case .rateLimited(let upstream, nil) = error { error = .rateLimited(upstream, retryAfter: wait) }
                // Where the two differ, the wait that the refusal itself asks for holds.
                if let retryAfter, let reset = allowance?.resetsIn {
                    allowance?.resetsIn = min(reset, .seconds(retryAfter))
                }
                outcome = .limited(wait.map { .seconds($0) })
                remedy = .again(after: wait)
            // A request that took too long is the query's failure and not the instance's, whatever its status.
            case (_, .incomplete): remedy = .smallerOrAgain
            case (202, _): remedy = .again(after: retryAfter)
            case (502...504, _):
                outcome = .failed
                remedy = .again(after: retryAfter)
            case (500..., _):
                outcome = .failed
                remedy = .none
            default: remedy = .none
            }
            result = .failure(error)
            report = RequestReport(outcome, allowance: allowance)
        }
    }

    /// An attempt that brought no whole answer.
    init(_ error: TransportError) {
        result = .failure(PageSourceError(error))
        switch error {
        case .connectionFailed, .tlsFailed, .noResponse:
            remedy = .again(after: nil)
            report = RequestReport(.failed)
        case .timedOut(let receivedBytes):
            remedy = .smaller
            report = RequestReport(receivedBytes ? .answered : .failed)
        case .bodyIncomplete(_, let status):
            // Of what is no page (or an error that a smaller page might not be) there is nothing to divide.
            remedy = status == 200 || status == 500 ? .smallerOrAgain : .again(after: nil)
            report = RequestReport(status == 429 ? .limited(nil) : status > 500 ? .failed : .answered)
        case .bodyTooLarge:
            remedy = .none
            report = RequestReport(.answered)
        case .invalidRequest, .cancelled:
            remedy = .none
            report = RequestReport(.unknown)
        }
    }

    /// An attempt whose page was not asked for, because there were no credentials for it.
    init(withoutCredentials failure: CredentialFailure) {
        result = .failure(failure.problem)
        switch failure {
        case .absent: (remedy, report) = (.none, RequestReport(.unknown))
        case .shared(let problem): (remedy, report) = (Self.consequences(of: problem).remedy, RequestReport(.unknown))
        case .asked(let problem):
            let (remedy, outcome) = Self.consequences(of: problem)
            (self.remedy, report) = (remedy, RequestReport(outcome))
        }
    }

    /// What a failed request for credentials means.
    private static func consequences(of problem: PageSourceError) -> (remedy: Remedy, outcome: RequestOutcome) {
        switch problem {
        case .failed(nil, _), .timedOut(nil): (.again(after: nil), .failed)
        case .rateLimited(_, let seconds): (.again(after: seconds), .limited(seconds.map { .seconds($0) }))
        case .unavailable(_, let seconds): (.again(after: seconds), .failed)
        case .failed(let upstream?, _) where upstream.status >= 500:
            (upstream.status == 500 ? .none : .again(after: nil), .failed)
        case .incomplete: (.again(after: nil), .answered)
        case .stopping: (.none, .unknown)
        default: (.none, .answered)
        }
    }
}
