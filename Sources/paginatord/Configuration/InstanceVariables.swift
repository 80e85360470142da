import TableAPI

/// The short forms for the one instance of a container: they make the instance `default`, or override what the file
/// says of it.
struct InstanceVariables {
    static let urlName = "PAGINATORD_INSTANCE_URL"
    static let usernameName = "PAGINATORD_INSTANCE_USERNAME"
    static let passwordName = "PAGINATORD_INSTANCE_PASSWORD"
    static let passwordFileName = "PAGINATORD_INSTANCE_PASSWORD_FILE"

    /// Where the instance answers.
    let url: String?
    /// The user's name.
    let username: String?
    /// The user's password, from either variable.
    let password: Secret?
    /// Whether a password was named, even one that could not be read.
    let namesPassword: Bool
    private let namesPasswordFile: Bool

    /// Takes the variables.
    init(in reading: ConfigurationReading) {
        url = reading.variable(Self.urlName)
        username = reading.variable(Self.usernameName)
        let literal = reading.variable(Self.passwordName)
        let file = reading.variable(Self.passwordFileName)
        namesPasswordFile = file != nil
        namesPassword = literal != nil || file != nil
        switch (literal, file) {
        case (_?, _?):
            reading.complain(Self.passwordFileName, "set beside \(Self.passwordName); one of them is enough")
            password = nil
        case (nil, let file?):
            do throws(FileError) {
                password = try Secret(contentsOf: file)
            } catch {
                reading.complain(Self.passwordFileName, error.reason)
                password = nil
            }
        case (let literal, nil): password = literal.map { Secret($0) }
        }
    }

    /// The first variable that says something.
    var first: String {
        url != nil ? Self.urlName : username != nil ? Self.usernameName : passwordVariable
    }

    /// The variable that a password came from.
    var passwordVariable: String {
        namesPasswordFile ? Self.passwordFileName : Self.passwordName
    }

    /// Whether any of them says something.
    var isSet: Bool {
        url != nil || namesCredentials
    }

    /// Whether a user's name or password was given.
    var namesCredentials: Bool {
        username != nil || namesPassword
    }
}
