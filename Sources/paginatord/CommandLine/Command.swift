/// What the command line asks for.
enum Command {
    /// Print a text and end.
    case help(String)
    /// Print the version and end.
    case version
    /// Run the service.
    case serve(ServeOptions)
    /// Run the demo instance alone.
    case demoInstance(DemoInstanceOptions)
    /// Write all records of a table to a file or to standard output.
    case export(ExportOptions)
    /// Check a configuration; `nil`: that of the environment.
    case checkConfiguration(file: String?)
    /// Ask a running service how it is; `nil`: the one that is configured.
    case healthCheck(url: String?)
}
