// Shows the thread sanitizer the locks that are contended.
//
// Swift's Synchronization.Mutex is a futex on Linux. Taking and giving back a free one is inlined into our code, where the
// sanitizer sees it; the slow paths for a contended one stand in Swift's library, which is not built for the sanitizer, so
// that it would report races between those whom the lock has kept apart. This library is loaded in front of Swift's, calls
// the same functions there, and tells the sanitizer what they mean. Only `make test-sanitize` uses it.
//
// self, the lock, comes in the register that Swift's calling convention has for it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SELF __attribute__((swift_context))
#define SWIFT __attribute__((swiftcall))

// Of the sanitizer where the program is built with it, else absent.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *self);
typedef SWIFT void (*unlock_function)(SELF void *self);

SWIFT void lock_slowly(uint32_t thread, SELF void *self) __asm__(LOCK);
SWIFT void unlock_slowly(SELF void *self) __asm__(UNLOCK);

// Found before any lock can be contended; found again where somebody is earlier still.
static lock_function real_lock;
static unlock_function real_unlock;

__attribute__((constructor)) static void find(void) {
    real_lock = (lock_function)dlsym(RTLD_NEXT, LOCK);
    real_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slowly(uint32_t thread, SELF void *self) {
    if (!real_lock) find();
    real_lock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slowly(SELF void *self) {
    if (!real_unlock) find();
    if (__tsan_release) __tsan_release(self);
    real_unlock(self);
}
