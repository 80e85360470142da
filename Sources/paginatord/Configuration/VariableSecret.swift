import TableAPI

/// A secret from one of two variables: one that holds it, one that names a file with it.
struct VariableSecret {
    /// The variable that holds it.
    let name: String
    /// The variable that said something: `name`, or the one for a file.
    let variable: String
    /// Where it stands, or would.
    let source: SecretSource
    /// Whether either of them said something, even of a file that cannot be read.
    let isNamed: Bool
    /// The secret, where there is one.
    let secret: Secret?

    /// Takes both variables.
    init(_ name: String, in reading: ConfigurationReading) {
        let fileName = name + "_FILE"
        let literal = reading.variable(name)
        let file = reading.variable(fileName)
        self.name = name
        variable = file == nil ? name : fileName
        source = file.map { .file($0) } ?? .variable(name)
        isNamed = literal != nil || file != nil
        switch (literal, file) {
        case (_?, _?):
            reading.complain(fileName, "set beside \(name); one of them is enough")
            secret = nil
        case (nil, let file?):
            do throws(FileError) {
                secret = try Secret(watching: file, setting: fileName)
            } catch {
                reading.complain(fileName, error.reason)
                secret = nil
            }
        case (let literal, nil): secret = literal.map { Secret($0) }
        }
    }
}
