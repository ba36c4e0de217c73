/* A mutex; in a build without threads there is nobody to lock out. */
#ifndef SEPAL_CORE_LOCK_H
#define SEPAL_CORE_LOCK_H

#ifdef SEPAL_WITH_THREADS
#include <pthread.h>

struct lock {
    pthread_mutex_t mutex;
};
#define LOCK_INIT                                                                                  \
    { PTHREAD_MUTEX_INITIALIZER }
static inline void lock_take(struct lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}
static inline void lock_give(struct lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

#else

struct lock {
    char unused;
};
#define LOCK_INIT                                                                                  \
    { 0 }
static inline void lock_take(struct lock *lock) {
    (void)lock;
}
static inline void lock_give(struct lock *lock) {
    (void)lock;
}

#endif
#endif
