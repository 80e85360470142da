/// What a field's values are, written down here once more so that nothing is taken from the instance's own schema.
enum PlainKind: Equatable {
    case text
    case number
    case flag
    case moment
    case day
    case reference(String)

    /// The fields that the random queries use, by table.
    static let fields: [String: [String: PlainKind]] = [
        "incident": [
            "sys_id": .text, "number": .text, "sys_class_name": .text, "short_description": .text,
            "description": .text, "close_notes": .text, "comments_and_work_notes": .text, "category": .text,
            "subcategory": .text, "contact_type": .text, "close_code": .text, "sys_created_by": .text,
            "sys_updated_by": .text, "correlation_id": .text, "approval": .text,
            "state": .number, "incident_state": .number, "priority": .number, "impact": .number, "urgency": .number,
            "severity": .number, "reassignment_count": .number, "sys_mod_count": .number, "reopen_count": .number,
            "active": .flag, "knowledge": .flag, "made_sla": .flag,
            "opened_at": .moment, "resolved_at": .moment, "closed_at": .moment, "sys_created_on": .moment,
            "sys_updated_on": .moment,
            "caller_id": .reference("sys_user"), "opened_by": .reference("sys_user"),
            "assigned_to": .reference("sys_user"), "resolved_by": .reference("sys_user"),
            "assignment_group": .reference("sys_user_group"), "location": .reference("cmn_location"),
            "company": .reference("core_company"), "cmdb_ci": .reference("cmdb_ci"),
            "problem_id": .reference("problem"), "rfc": .reference("change_request"),
        ],
        "change_request": [
            "sys_id": .text, "number": .text, "sys_class_name": .text, "short_description": .text,
            "description": .text, "justification": .text, "implementation_plan": .text, "type": .text,
            "approval": .text, "comments_and_work_notes": .text, "state": .number, "risk": .number, "impact": .number,
            "priority": .number, "sys_mod_count": .number, "active": .flag, "start_date": .moment,
            "end_date": .moment, "opened_at": .moment, "closed_at": .moment, "sys_updated_on": .moment,
            "requested_by": .reference("sys_user"), "opened_by": .reference("sys_user"),
            "assigned_to": .reference("sys_user"), "assignment_group": .reference("sys_user_group"),
            "cmdb_ci": .reference("cmdb_ci"), "company": .reference("core_company"),
        ],
        "problem": [
            "sys_id": .text, "number": .text, "sys_class_name": .text, "short_description": .text,
            "description": .text, "cause_notes": .text, "workaround": .text, "state": .number, "impact": .number,
            "urgency": .number, "priority": .number, "related_incidents": .number, "sys_mod_count": .number,
            "active": .flag, "known_error": .flag, "opened_at": .moment, "resolved_at": .moment,
            "closed_at": .moment, "opened_by": .reference("sys_user"), "assigned_to": .reference("sys_user"),
            "assignment_group": .reference("sys_user_group"), "cmdb_ci": .reference("cmdb_ci"),
            "company": .reference("core_company"), "rfc": .reference("change_request"),
        ],
        "kb_knowledge": [
            "sys_id": .text, "number": .text, "short_description": .text, "text": .text, "workflow_state": .text,
            "meta": .text, "language": .text, "active": .flag, "direct": .flag, "sys_view_count": .number,
            "published": .day, "valid_to": .day, "sys_created_on": .moment, "sys_updated_on": .moment,
            "kb_knowledge_base": .reference("kb_knowledge_base"), "author": .reference("sys_user"),
            "problem": .reference("problem"),
        ],
        "sys_user": [
            "sys_id": .text, "user_name": .text, "name": .text, "first_name": .text, "last_name": .text,
            "email": .text, "title": .text, "phone": .text, "notification": .number, "active": .flag, "vip": .flag,
            "last_login_time": .moment, "sys_created_on": .moment, "company": .reference("core_company"),
            "location": .reference("cmn_location"), "manager": .reference("sys_user"),
        ],
        "sys_user_group": [
            "sys_id": .text, "name": .text, "email": .text, "active": .flag, "manager": .reference("sys_user"),
        ],
        "cmn_location": [
            "sys_id": .text, "name": .text, "city": .text, "country": .text, "company": .reference("core_company"),
        ],
        "core_company": [
            "sys_id": .text, "name": .text, "city": .text, "customer": .flag, "sys_mod_count": .number,
        ],
        "cmdb_ci": [
            "sys_id": .text, "sys_class_name": .text, "name": .text, "ip_address": .text, "install_status": .number,
            "company": .reference("core_company"), "location": .reference("cmn_location"),
            "support_group": .reference("sys_user_group"), "assigned_to": .reference("sys_user"),
        ],
        "kb_knowledge_base": ["sys_id": .text, "title": .text, "owner": .reference("sys_user")],
    ]

    /// The field that stands for a record of a table.
    static let displayFields = [
        "sys_user": "name", "sys_user_group": "name", "cmn_location": "name", "core_company": "name",
        "cmdb_ci": "name", "kb_knowledge_base": "title", "problem": "number", "change_request": "number",
    ]
}
