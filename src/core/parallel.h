/* Work in parallel, results as if it had been done in order. */
#ifndef SEPAL_CORE_PARALLEL_H
#define SEPAL_CORE_PARALLEL_H

#include "core/context.h"

/* One task. `ctx` is the worker's own: errors and allocations go there. */
typedef sepal_status (*task_fn)(sepal_ctx *ctx, size_t task, void *payload);

/* Run tasks 0 .. n-1, handed out in rising order to ctx->threads threads. After a failure no
   further task starts; the error of the lowest failed task is left in ctx, so the outcome does
   not depend on the number of threads. Called from inside a task, it runs on that task's thread. */
sepal_status parallel_for(sepal_ctx *ctx, size_t n, task_fn task, void *payload);

/* The same, all on the caller's thread unless sharing `pays`: a thread has to be made or to wake up. */
sepal_status parallel_if(bool pays, sepal_ctx *ctx, size_t n, task_fn task, void *payload);

/* Run `task` on the caller and on each worker that comes before the caller is done (task = worker
   number): for work whose pieces are taken from a shared queue. Another's failure keeps no worker
   away; the lowest error wins. */
sepal_status parallel_workers(sepal_ctx *ctx, task_fn task, void *payload);

unsigned parallel_width(const sepal_ctx *ctx); /* how many workers there are, at least 1 */
void pool_free(struct pool *pool);

#endif
