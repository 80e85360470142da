import CMalloc

/// What the C library does with memory that was freed.
enum FreedMemory {
    /// Keeps some of it at hand instead of giving it back to the system after every page and asking for it again for the next
    /// one: about 2 % of a move's CPU time. Large pieces, such as the bodies of large pages, always go back: freed beneath others
    /// that are still in use, they would stay for good.
    static func keepAtHand() {
        // Any of these ends glibc's own adaptation of the others (mallopt(3)), so all are set. A setting that it refuses, or
        // that another C library does not know, changes nothing but the speed.
        _ = mallopt(M_MMAP_THRESHOLD, 256 << 10)
        _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
        _ = mallopt(M_TOP_PAD, 1 << 20)
    }
}
