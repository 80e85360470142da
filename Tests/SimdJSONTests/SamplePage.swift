/// A page as an instance may send it: odd white space, braces in strings, escapes, references, numbers, no ASCII only.
enum SamplePage {
    /// The rows, one by one.
    static let rows = [
        #"{"sys_id":"00a9a80a87d8311007bfb9db87cb0b12","number":"INC0010001","active":"true"}"#,
        #"{ "sys_id" : "00a9a80a87d8311007bfb9db87cb0b13", "short_description":"Braces {[ ]} \"quoted\" \\" , "n":[1,[2]] }"#,
        "{\n\t\"sys_id\": \"00a9a80a87d8311007bfb9db87cb0b14\",\r\n \"city\":\"Zürich 東京 \u{1F600}\" }",
        #"{"caller_id":{"link":"https://example.com/u?a=1,2","value":"681ccaf9c0a8016400b98a06818d57c7"},"note":null}"#,
        "{}",
        #"{"sys\u005fid":"00a9a80a87d8311007bfb9db87cb0b15","e":"\ud83d\ude00\n\u00e9","d":-12.5e3,"z":0,"t":true,"f":false}"#,
    ]

    /// The body.
    static let text =
        " {\"resulu\" : {\"result\":[{}],\"error\":1}, \"res\\u0075lt\" :\n[ \(rows[0]),\(rows[1]) ,\n\(rows[2])"
        + " , \(rows[3]),\(rows[4]), \(rows[5])\n] , \"erros\":[ ] }\r\n"

    /// The body's bytes.
    static let body = Array(text.utf8)
}
