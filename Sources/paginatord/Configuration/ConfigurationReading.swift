import HTTPModel

/// One reading of a configuration: what it reads from, and what it finds wrong on the way.
final class ConfigurationReading {
    /// What every variable's name begins with.
    static let variablePrefix = "PAGINATORD_"

    /// Everything wrong so far.
    private(set) var problems: [ConfigurationProblem] = []
    /// Every key that was asked for, as in `pages.itemsPerPage`; the name of an instance or a token is `*`.
    private(set) var knownKeys: Set<String> = []
    /// The folder that relative paths of the file start from.
    let folder: String
    private let environment: [String: String]
    private var knownVariables: Set<String> = []
    private var ownWarnings: [String] = []

    /// Begins a reading.
    init(environment: [String: String], folder: String = "") {
        self.environment = environment
        self.folder = folder
    }

    /// Notes a problem.
    func complain(_ path: String, _ detail: String) {
        problems.append(ConfigurationProblem(path: path, detail: detail))
    }

    /// Notes what is probably not meant as it stands.
    func warn(_ line: String) {
        ownWarnings.append(line)
    }

    /// Notes that a key exists.
    func know(_ path: [String]) {
        var path = path
        for parent in [["instances"], ["access", "tokens"]] where path.starts(with: parent) && path.count > parent.count
        {
            path[parent.count] = "*"
        }
        knownKeys.insert(path.joined(separator: "."))
    }

    /// The value of a variable of ours; `nil` where it is not set or is empty, as in a container's unset variables.
    func variable(_ name: String) -> String? {
        knownVariables.insert(name)
        return foreignVariable(name)
    }

    /// The value of any variable.
    func foreignVariable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What was noted, and one line for each variable that has our prefix and no meaning. Not an error: Kubernetes sets
    /// such names for a service of our name.
    func warnings() -> [String] {
        ownWarnings
            + environment.keys.filter { $0.hasPrefix(Self.variablePrefix) && !knownVariables.contains($0) }.sorted().map
        {
            "the environment variable \(printable($0)) is unknown and ignored"
                + Spelling.suggestion(for: $0, among: knownVariables)
        }
    }

    /// The variable of a key: `pages.itemsPerPage` is `PAGINATORD_PAGES_ITEMS_PER_PAGE`.
    static func variableName(_ path: [String]) -> String {
        var name = variablePrefix
        for (index, word) in path.enumerated() {
            if index > 0 { name += "_" }
            var previousIsLower = false
            for character in word {
                if previousIsLower && character.isUppercase { name += "_" }
                name += character.uppercased()
                previousIsLower = character.isLowercase
            }
        }
        return name
    }
}
