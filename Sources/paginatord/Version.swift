/// The version of the service.
let version = "0.1.0"
