#!/usr/bin/env bash
# The model file is the same to the byte whatever --threads, OPENBLAS_NUM_THREADS and the kernels
# are, from a pipe, from a compressed copy, and in a second run.
set -euo pipefail
examples=$SEPAL_SOURCE/examples/data
data=${SEPAL_DATA:-$SEPAL_SOURCE/../shared/data}
models=0
threads_by_blas="1x2 2x1 7x2" # of Sepal and of OpenBLAS
[ "${SEPAL_NIGHTLY:-}" != 1 ] || threads_by_blas="1x1 1x2 2x1 2x2 3x1 3x2 7x1 7x2"

train() { "$SEPAL" train "$@" -q 2>/dev/null || { echo "failed: train $*"; exit 1; }; }

same() { cmp first.sepal other.sepal || { echo "other bytes: $*"; exit 1; }; models=$((models + 1)); }

# every learner on one file; formats by content, so that a pipe is read alike
check() {
    local file=$1 spec=$2 pair kernels
    shift 2
    train "$file" -m "$spec" -o first.sepal "$@"
    for pair in $threads_by_blas; do
        OPENBLAS_NUM_THREADS=${pair#*x} train "$file" -m "$spec" -o other.sepal --threads "${pair%x*}" "$@"
        same "$file $spec --threads ${pair%x*}, ${pair#*x} BLAS threads"
    done
    train - -m "$spec" -o other.sepal "$@" <"$file"
    same "$file $spec, a pipe"
    for kernels in ref avx2; do # avx2 where the processor has more; where it has less, what it has
        SEPAL_KERNELS=$kernels train "$file" -m "$spec" -o other.sepal "$@"
        same "$file $spec, $kernels kernels"
    done
}

for spec in least-squares 'least-squares(l2=0.1)' 'perceptron(epochs=9)' 'perceptron(variant=averaged)' \
    'perceptron(variant=batch)' 'perceptron(variant=minibatch)' 'perceptron(variant=delta, mode=batch)' \
    naive-bayes 'naive-bayes(kind=complement)' 'naive-bayes(kind=bernoulli, smoothing=0.5)' \
    'lda(shrinkage=auto)' 'fisher | ovo' 'mean-difference | ovr-1' 'gaussian(shrinkage=0.1)' \
    'gaussian(covariance=diagonal) | ovr' 'standardize | perceptron(epochs=3)' \
    'logistic(C=10) | ovr' 'standardize | svm' \
    'minmax | rbf | least-squares' 'sigmoid | hash(bits=6) | lda' 'fourier(features=20) | fisher'; do
    check "$examples/iris.csv" "$spec"
    check "$examples/digits.csv" "$spec"
done
for spec in 'svm(penalty=l1) | ovo' 'logistic(C=1, ratio=0.5)' 'svm(loss=hinge, class_weight=balanced)' \
    'svm(loss=hinge, penalty=l1)' 'logistic(penalty=none)' 'standardize | logistic(nonneg=all)' \
    'svm(penalty=elasticnet, bounds="-0.1<=all<=0.2")' 'softmax(loss=mse)'; do
    check "$examples/iris.csv" "$spec"
done
for solver in lbfgs sgd; do
    check "$examples/iris.csv" 'softmax(epochs=3)' --solver $solver
    check "$examples/digits.csv" 'softmax(epochs=3, batch=0)' --solver $solver
done
if [ -d "$data" ] && command -v xz >/dev/null; then
    xz -dc "$data/a9a.xz" >a9a
    for spec in least-squares 'perceptron(epochs=3)' naive-bayes lda 'standardize | lda(shrinkage=0.1)' \
        'standardize | perceptron(epochs=2)' 'gaussian(covariance=spherical)'; do
        check a9a "$spec"
        check "$data/satellite.csv" "$spec"
    done
    for solver in dual newton newton-cg lbfgs; do check a9a 'logistic(C=0.1)' --tol 1e-2 --solver $solver; done
    check "$data/rcv1_small" logistic
else
    echo "SKIP data-sets: a9a and satellite are not here"
fi
echo "$models models, all the same"
