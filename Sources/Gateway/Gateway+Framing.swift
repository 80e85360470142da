import Clocks
public import HTTPModel

extension Gateway {
    /// Refuses a head that can be read in more than one way, or that is too large, before any other check.
    public func refusal(of head: RequestHead, for fault: HeadFault) -> Response {
        var trace = RequestTrace(head: head, id: requestIDs.next(), start: clock.uptime())
        trace.origin = access.listedOrigin(of: head)
        var detail = fault.detail
        switch fault {
        case .tooLarge, .targetTooLong: detail += " The setting is limits.requestHead."
        default: break
        }
        return refuse(trace, Problem(ProblemKind(fault), detail))
    }
}

extension ProblemKind {
    /// How a refused head is reported.
    init(_ fault: HeadFault) {
        switch fault {
        case .requestLine, .lines, .fieldName, .fieldValue, .repeatedHost, .repeatedField, .contentLength,
            .transferCodingInHTTP10, .chunks:
            self = .malformedRequest
        case .version: self = .httpVersionNotSupported
        case .transferCoding: self = .notImplemented
        case .tooManyFields, .tooLarge: self = .headersTooLarge
        case .targetTooLong: self = .uriTooLong
        }
    }
}
