/* A small pool of threads kept by the root context. The calling thread is worker 0. Workers spin
   briefly for the next job, then sleep. The caller begins at once and waits only for those who have
   begun: on a busy machine a thread may wake when all is done. When threads cannot be made, fewer do
   the work; after a fork the child, which has none of its parent's threads, builds a pool of its
   own. */
#include "core/parallel.h"

#include "core/alloc.h"
#include "core/lock.h"

#ifdef SEPAL_WITH_THREADS
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* A worker that has fallen asleep is slow to wake: it looks out for the next job for about a
   millisecond. */
enum { SPINS = 2000, WORKER_SPINS = 1 << 17 };

struct pool;
struct worker {
    struct pool *pool;
    size_t number;
    pthread_t thread;
    sepal_ctx ctx;
    sepal_status status;
};

struct pool {
    pid_t owner;
    unsigned asked; /* ctx->threads when it was built */
    unsigned width; /* workers, the caller included */
    struct worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    atomic_ulong job; /* number of the current job; a change starts it */
    bool open;        /* whoever comes may still take part in it */
    atomic_uint busy; /* those who do, the caller aside */
    bool stop;
    atomic_int cpu; /* where the caller was when the last job began; -1: not known */
    bool running;   /* known to the calling thread alone: what a task asks for is done in place */
    task_fn task;
    void *payload;
};

/* Spinning where the other runs only takes its time away. */
static int this_cpu(void) {
#ifdef __linux__
    return sched_getcpu();
#else
    return -1;
#endif
}

static bool is_beside(const struct pool *pool) {
    int cpu = this_cpu();
    return cpu < 0 || cpu != atomic_load(&pool->cpu);
}

/* The workers to any processor but the caller's: there they are of no use, and some schedulers leave
   them there for longer than a small problem takes. */
static void send_away(struct pool *pool) {
#ifdef __linux__
    int cpu = this_cpu();
    cpu_set_t allowed;
    if (cpu < 0 || cpu == atomic_load(&pool->cpu)) return;
    atomic_store(&pool->cpu, cpu);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    CPU_CLR((size_t)cpu, &allowed);
    if (CPU_COUNT(&allowed) == 0) return;
    for (unsigned i = 1; i < pool->width; i++)
        (void)pthread_setaffinity_np(pool->workers[i].thread, sizeof allowed, &allowed);
#else
    (void)pool;
#endif
}

static void *parallel_work(void *argument) {
    struct worker *me = argument;
    struct pool *pool = me->pool;
    for (unsigned long seen = 0;;) {
        for (int spin = 0; spin < WORKER_SPINS && atomic_load(&pool->job) == seen; spin++) {
            if (spin % 64 == 0 && !is_beside(pool)) break;
            if (spin % 1024 == 0) sched_yield();
        }
        pthread_mutex_lock(&pool->lock);
        while (atomic_load(&pool->job) == seen) pthread_cond_wait(&pool->wake, &pool->lock);
        seen = atomic_load(&pool->job);
        bool stop = pool->stop, late = !pool->open;
        if (!late) atomic_fetch_add(&pool->busy, 1);
        pthread_mutex_unlock(&pool->lock);
        if (stop) return NULL;
        if (late) continue;

        me->status = pool->task(&me->ctx, me->number, pool->payload);

        pthread_mutex_lock(&pool->lock);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
    }
}

void pool_free(struct pool *pool) {
    if (!pool) return;
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->stop = true;
        atomic_fetch_add(&pool->job, 1);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 1; i < pool->width; i++) pthread_join(pool->workers[i].thread, NULL);
        pthread_mutex_destroy(&pool->lock);
        pthread_cond_destroy(&pool->wake);
        pthread_cond_destroy(&pool->done);
    }
    mem_free(pool->workers);
    mem_free(pool);
}

static unsigned wanted_width(const sepal_ctx *ctx) {
    enum { MOST = 1024 };
    if (ctx->threads) return ctx->threads < MOST ? ctx->threads : MOST;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cores = CPU_COUNT(&allowed);
#endif
    return cores < 1 ? 1 : cores > MOST ? MOST : (unsigned)cores;
}

/* NULL when there is nothing to divide the work with; the caller then works alone. */
static struct pool *pool_get(sepal_ctx *ctx) {
    struct pool *pool = ctx->pool;
    if (pool && pool->owner == getpid() && pool->asked == ctx->threads) return pool;
    pool_free(pool);
    ctx->pool = NULL;
    unsigned width = wanted_width(ctx);
    if (width < 2) return NULL;
    pool = mem_zero(NULL, 1, sizeof *pool);
    struct worker *workers = mem_zero(NULL, width, sizeof *workers);
    if (!pool || !workers) {
        mem_free(workers);
        mem_free(pool);
        return NULL;
    }
    pool->owner = getpid();
    pool->asked = ctx->threads;
    atomic_init(&pool->cpu, -1);
    pool->workers = workers;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (pool->width = 1; pool->width < width; pool->width++) {
        struct worker *worker = &workers[pool->width];
        *worker = (struct worker){.pool = pool, .number = pool->width};
        if (pthread_create(&worker->thread, NULL, parallel_work, worker)) break;
    }
    ctx->pool = pool;
    return pool;
}

/* A worker's context shares the settings, but has an error of its own. */
static void parallel_prepare(struct worker *worker, const sepal_ctx *ctx) {
    worker->status = SEPAL_OK;
    worker->ctx.root = ctx->root;
    worker->ctx.seed = ctx->seed;
    worker->ctx.threads = 1;
    worker->ctx.kernels = ctx->kernels;
    worker->ctx.blas = ctx->blas;
}

unsigned parallel_width(const sepal_ctx *ctx) {
    if (ctx != ctx->root) return 1;
    struct pool *pool = pool_get(ctx->root);
    return pool && !pool->running ? pool->width : 1;
}

sepal_status parallel_workers(sepal_ctx *ctx, task_fn task, void *payload) {
    struct pool *pool = ctx == ctx->root ? pool_get(ctx) : NULL;
    if (!pool || pool->width < 2 || pool->running) return task(ctx, 0, payload);
    pool->running = true;
    for (unsigned i = 1; i < pool->width; i++) parallel_prepare(&pool->workers[i], ctx);
    send_away(pool);
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->payload = payload;
    pool->open = true;
    atomic_fetch_add(&pool->job, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    sepal_status status = task(ctx, 0, payload);

    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    pthread_mutex_unlock(&pool->lock);
    for (int spin = 0; spin < SPINS && atomic_load(&pool->busy); spin++) continue;
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->busy)) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pool->running = false;
    for (unsigned i = 1; i < pool->width && status == SEPAL_OK; i++) {
        status = pool->workers[i].status;
        if (status != SEPAL_OK) ctx->error = pool->workers[i].ctx.error;
    }
    return status;
}

#else

void pool_free(struct pool *pool) {
    (void)pool;
}

unsigned parallel_width(const sepal_ctx *ctx) {
    (void)ctx;
    return 1;
}

sepal_status parallel_workers(sepal_ctx *ctx, task_fn task, void *payload) {
    return task(ctx, 0, payload);
}

#endif

struct queue {
    size_t n;
    task_fn task;
    void *payload;
    atomic_size_t next;
    atomic_size_t failed; /* lowest failed task, n while there is none */
    struct lock lock;
    size_t kept;         /* the task whose error is kept below */
    struct error *error; /* not set to 0 for every call: it is as long as a message */
};

static void keep_lowest_error(struct queue *queue, const sepal_ctx *ctx, size_t task) {
    lock_take(&queue->lock);
    if (task < queue->kept) {
        queue->kept = task;
        *queue->error = ctx->error;
        atomic_store(&queue->failed, task);
    }
    lock_give(&queue->lock);
}

static sepal_status drain(sepal_ctx *ctx, size_t worker, void *payload) {
    struct queue *queue = payload;
    (void)worker;
    for (;;) {
        size_t task = atomic_fetch_add(&queue->next, 1);
        if (task >= queue->n || task > atomic_load(&queue->failed)) return SEPAL_OK;
        if (queue->task(ctx, task, queue->payload) != SEPAL_OK) keep_lowest_error(queue, ctx, task);
    }
}

sepal_status parallel_for(sepal_ctx *ctx, size_t n, task_fn task, void *payload) {
    return parallel_if(n > 1, ctx, n, task, payload);
}

sepal_status parallel_if(bool pays, sepal_ctx *ctx, size_t n, task_fn task, void *payload) {
    struct error error;
    struct queue queue = {
        .n = n, .task = task, .payload = payload, .kept = n, .lock = LOCK_INIT, .error = &error};
    atomic_init(&queue.next, 0);
    atomic_init(&queue.failed, n);
    if (!pays)
        drain(ctx, 0, &queue);
    else
        TRY(parallel_workers(ctx, drain, &queue));
    if (queue.kept == n) return SEPAL_OK;
    ctx->error = error;
    return error.status;
}
