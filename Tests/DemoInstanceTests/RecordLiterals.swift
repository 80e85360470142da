/// One record in every form of the Table API, as it has to be written.
enum RecordLiterals {
    static let values =
        #"{"result":[{"number":"INC0010002","#
        + #""caller_id":{"link":"http://demo.example:8081/api/now/table/sys_user/dafe64ff5629c74d8b6089fb523bb1ad","#
        + #""value":"dafe64ff5629c74d8b6089fb523bb1ad"},"active":"false","priority":"3","#
        + #""closed_at":"2024-01-24 20:09:38","#
        + #""assigned_to":{"link":"http://demo.example:8081/api/now/table/sys_user/7122dd82e66f613a0975af99a2c682be","#
        + #""value":"7122dd82e66f613a0975af99a2c682be"},"short_description":"Café POS terminal が起動しません","#
        + #""opened_at":"2024-01-13 15:14:59","caller_id.name":"Fatima Müller"}]}"#

    static let withoutLinks =
        #"{"result":[{"number":"INC0010002","caller_id":"dafe64ff5629c74d8b6089fb523bb1ad","#
        + #""active":"false","priority":"3","closed_at":"2024-01-24 20:09:38","#
        + #""assigned_to":"7122dd82e66f613a0975af99a2c682be","#
        + #""short_description":"Café POS terminal が起動しません","opened_at":"2024-01-13 15:14:59","#
        + #""caller_id.name":"Fatima Müller"}]}"#

    static let displayValues =
        #"{"result":[{"number":"INC0010002","caller_id":{"display_value":"Fatima Müller","#
        + #""link":"http://demo.example:8081/api/now/table/sys_user/dafe64ff5629c74d8b6089fb523bb1ad"},"#
        + #""active":"false","priority":"3 - Moderate","closed_at":"2024-01-24 20:09:38","#
        + #""assigned_to":{"display_value":"Mei Çelik","#
        + #""link":"http://demo.example:8081/api/now/table/sys_user/7122dd82e66f613a0975af99a2c682be"},"#
        + #""short_description":"Café POS terminal が起動しません","opened_at":"2024-01-13 15:14:59","#
        + #""caller_id.name":"Fatima Müller"}]}"#

    static let displayValuesWithoutLinks =
        #"{"result":[{"number":"INC0010002","caller_id":"Fatima Müller","active":"false","#
        + #""priority":"3 - Moderate","closed_at":"2024-01-24 20:09:38","assigned_to":"Mei Çelik","#
        + #""short_description":"Café POS terminal が起動しません","opened_at":"2024-01-13 15:14:59","#
        + #""caller_id.name":"Fatima Müller"}]}"#

    static let both =
        #"{"result":[{"number":{"display_value":"INC0010002","value":"INC0010002"},"#
        + #""caller_id":{"display_value":"Fatima Müller","#
        + #""link":"http://demo.example:8081/api/now/table/sys_user/dafe64ff5629c74d8b6089fb523bb1ad","#
        + #""value":"dafe64ff5629c74d8b6089fb523bb1ad"},"active":{"display_value":"false","value":"false"},"#
        + #""priority":{"display_value":"3 - Moderate","value":"3"},"#
        + #""closed_at":{"display_value":"2024-01-24 20:09:38","value":"2024-01-24 20:09:38"},"#
        + #""assigned_to":{"display_value":"Mei Çelik","#
        + #""link":"http://demo.example:8081/api/now/table/sys_user/7122dd82e66f613a0975af99a2c682be","#
        + #""value":"7122dd82e66f613a0975af99a2c682be"},"#
        + #""short_description":{"display_value":"Café POS terminal が起動しません","#
        + #""value":"Café POS terminal が起動しません"},"opened_at":{"display_value":"2024-01-13 15:14:59","#
        + #""value":"2024-01-13 15:14:59"},"caller_id.name":{"display_value":"Fatima Müller","#
        + #""value":"Fatima Müller"}}]}"#
}
