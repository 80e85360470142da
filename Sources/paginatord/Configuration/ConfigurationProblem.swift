/// One thing that is wrong with the configuration, for the person who wrote it. Holds no secret.
struct ConfigurationProblem: Error, Equatable, CustomStringConvertible {
    /// The key as in `pages.itemsPerPage`, the name of an environment variable, or the file where the whole of it is
    /// meant.
    var path: String
    /// What is wrong and what would be right.
    var detail: String

    /// As in `pages.itemsPerPage: expected a whole number from 1 to 10000 but found "many"`.
    var description: String {
        "\(path): \(detail)"
    }
}

/// Everything that is wrong with the configuration, at once.
struct ConfigurationFailure: Error, Equatable {
    /// At least one.
    var problems: [ConfigurationProblem]
}
