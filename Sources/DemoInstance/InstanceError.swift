internal import HTTPModel

/// What the instance refuses, with the messages of a real one where they are known.
enum InstanceError: Error, Equatable {
    /// No credentials, or wrong ones.
    case notAuthenticated
    /// A table whose records nobody may read.
    case notAuthorized
    /// A query on a field that nobody may read.
    case insufficientRights
    /// An `Accept` field that JSON does not meet.
    case notAcceptable
    /// More requests within the hour than the limit, with the fields that tell about it.
    case rateLimited(limit: Int, retryAfter: Int, HeaderFields)
    /// A path that is no resource of the REST interface.
    case noSuchResource
    /// A method that the resource does not have.
    case methodNotAllowed
    /// A table that is not there.
    case invalidTable(String)
    /// A parameter whose value cannot be read, or a target that is no URL.
    case invalidParameter(String)
    /// A `sys_id` that no record of the table has.
    case noRecord
    /// A list without rows under `/api/now/v1`.
    case noRecords
    /// A request body, which reading does not take.
    case bodyTooLarge
    /// A fault of ours.
    case failed(String)

    /// The status code.
    var status: Int {
        switch self {
        case .invalidTable, .invalidParameter, .noSuchResource: 400
        case .notAuthenticated: 401
        case .notAuthorized, .insufficientRights: 403
        case .noRecord, .noRecords: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .bodyTooLarge: 413
        case .rateLimited: 429
        case .failed: 500
        }
    }

    /// The response with the instance's envelope.
    var response: Response {
        var writer = JSONWriter()
        let (message, detail) = texts
        writer.object { writer in
            writer.name("error")
            writer.object { writer in
                writer.member("message", message)
                writer.member("detail", detail)
            }
            writer.member("status", "failure")
        }
        var response = Response(status: status, headers: Self.jsonHeaders, body: .bytes(writer.bytes))
        if self == .notAuthenticated { response.headers["WWW-Authenticate"] = #"Basic realm="Service-now""# }
        if self == .methodNotAllowed { response.headers["Allow"] = "GET, HEAD" }
        if case .rateLimited(_, let seconds, let fields) = self {
            fields.fields.forEach { response.headers.append($0.name, $0.value) }
            response.headers["Retry-After"] = String(seconds)
        }
        return response
    }

    /// The header field of every answer.
    static let jsonHeaders: HeaderFields = ["Content-Type": "application/json;charset=UTF-8"]

    private var texts: (message: String, detail: String?) {
        switch self {
        case .notAuthenticated: ("User Not Authenticated", "Required to provide Auth information")
        case .notAuthorized: ("User Not Authorized", "Failed API level ACL Validation")
        case .insufficientRights:
            ("Insufficient rights to query records", "Field(s) present in the query do not have permission to be read")
        case .notAcceptable: ("Requested media type is not supported", "This instance writes application/json")
        case .rateLimited(let limit, _, _):
            ("Rate limit exceeded", "Rate limit of \(limit) requests per hour for Table API exceeded")
        case .noSuchResource: ("Requested URI does not represent any resource", nil)
        case .methodNotAllowed: ("Method not supported", "This instance is read only: use GET or HEAD")
        case .invalidTable(let name): ("Invalid table \(name)", nil)
        case .invalidParameter(let detail): ("Invalid parameter", detail)
        case .noRecord: ("No Record found", "Record doesn't exist or ACL restricts the record retrieval")
        case .noRecords:
            ("No Record found", "Records matching query not found. Check query parameter or offset parameter")
        case .bodyTooLarge: ("Request body too large", nil)
        case .failed(let detail): ("Internal error", detail)
        }
    }
}
