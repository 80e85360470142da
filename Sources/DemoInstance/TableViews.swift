/// The views of the tables: which fields a record shows under `sysparm_view` where `sysparm_fields` is absent.
///
/// The names are those of views that instances come with: `mobile` for small screens, `ess` for people who help
/// themselves, `sys_ref_list` for the list that a reference is picked from. Which columns such a view has is up to each
/// instance; here each also has `sys_id`, without which nobody could go on from a row.
enum TableViews {
    /// The columns of a table's view in their order; `nil` for a view that the table does not have: then, as on an
    /// instance, the default view counts, which here has all fields, as `desktop` and `both` have.
    static func fields(of table: String, view: String) -> [String]? {
        all[table]?[view]
    }

    /// The columns of every view, by table and name.
    static let all: [String: [String: [String]]] = [
        "incident": [
            "mobile": ["sys_id", "number", "short_description", "priority", "state", "assigned_to", "sys_updated_on"],
            "ess": ["sys_id", "number", "short_description", "state", "opened_at", "sys_updated_on", "comments"],
            "sys_ref_list": ["sys_id", "number", "short_description", "caller_id", "state", "opened_at"],
        ],
        "change_request": [
            "mobile": [
                "sys_id", "number", "short_description", "type", "state", "start_date", "end_date", "assigned_to",
            ],
            "ess": ["sys_id", "number", "short_description", "state", "start_date", "end_date"],
            "sys_ref_list": ["sys_id", "number", "short_description", "type", "state"],
        ],
        "problem": [
            "mobile": ["sys_id", "number", "short_description", "priority", "state", "assigned_to"],
            "sys_ref_list": ["sys_id", "number", "short_description", "state", "known_error"],
        ],
        "sys_user": [
            "mobile": ["sys_id", "name", "title", "email", "phone", "mobile_phone", "location"],
            "ess": ["sys_id", "name", "email", "phone", "manager", "location"],
            "sys_ref_list": ["sys_id", "name", "user_name", "email", "active"],
        ],
        "sys_user_group": [
            "mobile": ["sys_id", "name", "manager", "email"],
            "sys_ref_list": ["sys_id", "name", "description", "active"],
        ],
        "core_company": [
            "mobile": ["sys_id", "name", "city", "country"],
            "sys_ref_list": ["sys_id", "name", "city", "country", "customer"],
        ],
        "cmn_location": [
            "mobile": ["sys_id", "name", "street", "city", "phone"],
            "sys_ref_list": ["sys_id", "name", "city", "country", "company"],
        ],
        "cmdb_ci": items,
        "cmdb_ci_server": items.merging(["mobile": ["sys_id", "name", "ip_address", "os", "install_status"]]) { $1 },
        "kb_knowledge": [
            "mobile": ["sys_id", "number", "short_description", "published", "text"],
            "ess": ["sys_id", "number", "short_description", "kb_knowledge_base", "author", "published", "text"],
            "sys_ref_list": ["sys_id", "number", "short_description", "workflow_state", "kb_knowledge_base"],
        ],
        "kb_knowledge_base": [
            "mobile": ["sys_id", "title", "description"], "sys_ref_list": ["sys_id", "title", "owner", "active"],
        ],
    ]

    private static let items = [
        "mobile": ["sys_id", "name", "sys_class_name", "install_status"],
        "sys_ref_list": ["sys_id", "name", "sys_class_name", "ip_address", "company", "location"],
    ]
}
