/// The made-up words that the records are put together from. Many are no ASCII, and some hold what careless programs
/// trip over: quotes, markup, line breaks, right-to-left text.
enum DemoTexts {
    /// Given names.
    static let givenNames = [
        "Abel", "Zoë", "José", "François", "Łukasz", "Søren", "Ольга", "Δήμητρα", "محمد", "נועה", "美咲", "伟", "지민",
        "Nguyễn", "Åsa", "Grace", "Priya", "Chinedu", "Siobhán", "Jürgen", "Ana-Lucía", "D'Angelo", "Ingrid", "Tomás",
        "Fatima", "Kwame", "Björk", "Renée", "Mei", "Olu", "Ivana", "Hòa",
    ]

    /// Family names.
    static let familyNames = [
        "Tuter", "Nuñez", "O'Brien", "Müller", "Kowalski", "Иванова", "Παπαδόπουλος", "الهاشمي", "כהן", "佐藤", "王",
        "김", "Trần", "Lindström", "Okafor", "Sharma", "Garcia-Lopez", "van der Berg", "Smith", "Çelik", "Ferreira",
        "Dubois", "Novák", "Rossi", "Hansen", "Ødegård", "Szabó", "Popescu", "Ní Bhriain", "Lee", "Adeyemi", "Quispe",
    ]

    /// User names as they stand in `sys_created_by`.
    static let accounts = ["admin", "system", "itil", "guest", "service.desk", "import.user", "event.bridge"]

    /// Titles of jobs.
    static let titles = [
        "Analyst", "Senior Developer", "IT Technician", "Account Executive", "Research Director", "Sachbearbeiterin",
        "Chef de projet", "部長", "",
    ]

    /// What an incident can be about.
    static let subjects = [
        "e-mail", "VPN", "the SAP portal", "the printer on floor 3", "the payroll report", "Wi-Fi", "the ERP system",
        "Outlook", "the build server", "the customer database", "my laptop", "the badge reader", "Café POS terminal",
        "the \"Blue\" meeting room", "the R&D share", "the telephone system",
    ]

    /// What can be wrong with it; `%` stands for the subject.
    static let complaints = [
        "Cannot connect to %", "% is very slow since this morning", "Password reset needed for %",
        "Error 0x80070057 when opening %", "% shows <b>Access denied</b>", "Please install an update for %",
        "100%% CPU caused by %", "Lost data in %", "% asks for my password again & again", "How do I use %?",
        "Zugriff auf % gestört – bitte prüfen", "Impossible d'accéder à % (déjà signalé)", "无法连接 %", "% が起動しません",
        "لا يمكن الوصول إلى %", "% לא עובד", "🔥 % is down 🔥", "% says \"it's not you, it's me\"",
        "Backslash \\ in the path of %", "% <script>alert('x')</script> in the title", "Request: access to %_test",
        "% unplugged, smells of smoke", "Nothing works, % least of all", "Slow % – again…",
    ]

    /// What a change does; `%` stands for its subject.
    static let changes = [
        "Upgrade %", "Move % to the new data centre", "Renew the certificate of %", "Roll back %",
        "% – Wartungsfenster",
        "Remplacer %", "ترقية %", "שדרוג %", "Retire <i>%</i>", "Raise the limits of % by 50%%",
    ]

    /// What an article tells; `%` stands for its subject.
    static let articles = [
        "How to use %", "% for beginners", "What to do when % is down", "Frequently asked questions about %",
        "Hilfe zu %", "دليل %", "מדריך: %", "% の使い方",
    ]

    /// Collections of articles; their number is that of the records in `kb_knowledge_base`.
    static let knowledgeBases = ["IT", "Human Resources", "Wissen für alle", "قاعدة المعرفة"]

    /// Sentences of descriptions and notes.
    static let sentences = [
        "It worked yesterday.", "I have restarted twice.\nNo change.", "Several colleagues see the same.",
        "The message says \"Timeout expired\".", "See C:\\Temp\\log.txt for details.", "Urgent – the customer waits!",
        "Seit heute früh, auch für die Kollegen in Zürich.", "请尽快处理，谢谢。", "Screenshot: <img src=\"a.png\">.",
        "يرجى المساعدة.", "תודה מראש.", "Call me on +49 30 1234567.", "Costs 50% more time; 10 € each.",
        "I use the tab\tkey a lot.", "Happens with 😀 in the file name only.", "Not reproducible on other machines.",
    ]

    /// What solved an incident.
    static let solutions = [
        "Restarted the service.", "User error – explained.", "Password reset.", "Replaced the cable.\r\nTested: OK",
        "Patch KB5004237 installed.", "Gelöst durch Neustart.", "Duplicate of an older incident.",
        "Cleared the cache & cookies.",
    ]

    /// Cities with their countries and streets.
    static let places = [
        ("San Diego", "USA", "4492 Camino De La Plaza"), ("Zürich", "Switzerland", "Bahnhofstraße 1"),
        ("São Paulo", "Brazil", "Avenida Paulista 900"), ("東京", "Japan", "丸の内一丁目"), ("Łódź", "Poland", "Piotrkowska 7"),
        ("القاهرة", "Egypt", "شارع التحرير"), ("תל אביב", "Israel", "רוטשילד 22"),
        ("London", "United Kingdom", "King's Road 5"),
        ("Malmö", "Sweden", "Storgatan 3"), ("Québec", "Canada", "12, rue d'Auteuil"), ("Αθήνα", "Greece", "Ερμού 10"),
        ("Bengaluru", "India", "MG Road"), ("서울", "South Korea", "세종대로 110"), ("Lagos", "Nigeria", "Marina 2"),
    ]

    /// Companies; their number is that of the records in `core_company`.
    static let companies = [
        "ACME North America", "ACME Deutschland GmbH", "Blåbær AS", "O'Reilly & Sons", "株式会社デモ",
        "Müller \"Schnell\" KG",
        "Société Générique", "Globex", "Initech", "شركة المثال",
    ]

    /// Groups; their number is that of the records in `sys_user_group`.
    static let groups = [
        "Service Desk", "Network", "Hardware", "Software", "Database", "Database Atlanta", "Security Operations",
        "Help Desk Zürich", "Équipe Réseau", "サポート", "Problem Solving", "Change Management", "CAB Approval",
        "Field Services", "LDAP Admins", "Openspace", "RMA Approvers", "Procurement", "eCAB Approval", "IT Finance CAB",
    ]
}
