#include <pthread.h>
#include <uv.h>

/// Declared by the C library only for GNU sources, and Swift compiles as plain POSIX.
extern int pthread_setname_np(pthread_t thread, const char *name);

/// Names the calling thread; at most 15 bytes.
static inline int cuv_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }
