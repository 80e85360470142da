/// How many records the tables of fixed size have.
enum DemoSizes {
    /// `sys_user`
    static let users = 500
    /// `cmn_location`
    static let locations = 42
    /// `cmdb_ci_server`
    static let servers = 2000
    /// `change_request`
    static let changes = 200
    /// `problem`
    static let problems = 200
    /// `kb_knowledge`
    static let articles = 200
}
