import TableAPI

/// The short forms for the one instance of a container: they make the instance `default`, or override what the file
/// says of it.
struct InstanceVariables {
    static let urlName = "PAGINATORD_INSTANCE_URL"
    static let usernameName = "PAGINATORD_INSTANCE_USERNAME"

    /// Where the instance answers.
    let url: String?
    /// The user's name.
    let username: String?
    /// The user's password.
    let password: VariableSecret
    /// A token that stands for the user.
    let bearer: VariableSecret

    /// Takes the variables.
    init(in reading: ConfigurationReading) {
        url = reading.variable(Self.urlName)
        username = reading.variable(Self.usernameName)
        password = VariableSecret("PAGINATORD_INSTANCE_PASSWORD", in: reading)
        bearer = VariableSecret("PAGINATORD_INSTANCE_BEARER", in: reading)
    }

    /// The first variable that says something.
    var first: String {
        url != nil ? Self.urlName : firstCredential
    }

    /// The first variable that says something of who requests come from.
    var firstCredential: String {
        username != nil ? Self.usernameName : password.isNamed ? password.variable : bearer.variable
    }

    /// Whether any of them says something.
    var isSet: Bool {
        url != nil || namesCredentials
    }

    /// Whether any of them says who requests come from.
    var namesCredentials: Bool {
        namesUser || bearer.isNamed
    }

    /// Whether a user's name or password was given.
    var namesUser: Bool {
        username != nil || password.isNamed
    }
}
