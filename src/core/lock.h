/* A mutex; in a build without threads there is nobody to lock out. */
#ifndef SEPAL_CORE_LOCK_H
#define SEPAL_CORE_LOCK_H

#ifdef SEPAL_WITH_THREADS
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

struct lock {
    pthread_mutex_t mutex;
};
#define LOCK_INIT                                                                                  \
    { PTHREAD_MUTEX_INITIALIZER }
static inline void lock_take(struct lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}
/* false: somebody else still has it after that time. */
static inline bool lock_take_within(struct lock *lock, unsigned milliseconds) {
    const long second_ns = 1000L * 1000 * 1000;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += (long)(milliseconds % 1000) * 1000 * 1000;
    if (end.tv_nsec >= second_ns) {
        end.tv_sec++;
        end.tv_nsec -= second_ns;
    }
    return pthread_mutex_timedlock(&lock->mutex, &end) == 0;
}
static inline void lock_give(struct lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

#else
#include <stdbool.h>

struct lock {
    char unused;
};
#define LOCK_INIT                                                                                  \
    { 0 }
static inline void lock_take(struct lock *lock) {
    (void)lock;
}
static inline bool lock_take_within(struct lock *lock, unsigned milliseconds) {
    (void)lock, (void)milliseconds;
    return true;
}
static inline void lock_give(struct lock *lock) {
    (void)lock;
}

#endif
#endif
