internal import HTTPModel

/// What the instance refuses, with the messages of a real one where they are known.
enum InstanceError: Error, Equatable {
    /// No credentials, or wrong ones.
    case notAuthenticated
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
        case .noRecord, .noRecords: 404
        case .methodNotAllowed: 405
        case .bodyTooLarge: 413
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
        return response
    }

    /// The header field of every answer.
    static let jsonHeaders: HeaderFields = ["Content-Type": "application/json;charset=UTF-8"]

    private var texts: (message: String, detail: String?) {
        switch self {
        case .notAuthenticated: ("User Not Authenticated", "Required to provide Auth information")
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
