@main
struct Paginatord {
    static func main() {}
}
