#!/usr/bin/env bash
# A program without any shared library, by `gcc -static` and `pkg-config --static`. It is asked of the build
# that needs nothing but the C library (preset bare); BLAS and libarchive need archives of their own, which
# few machines have.
set -euo pipefail
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan|gcov)_| U (cblas_|dgemm_|archive_)' >/dev/null; then
    exit 77
fi
DESTDIR=$PWD/root cmake --install "$(dirname "$SEPAL_STATIC")/.." --prefix /opt/sepal --component library \
    >install.log
export PKG_CONFIG_PATH=$PWD/root/opt/sepal/lib/pkgconfig
name=$SEPAL_SOURCE/examples/05_memory
# shellcheck disable=SC2046 # flags are words
gcc -static "$name.c" $(pkg-config --static --cflags --libs sepal) -o program
if readelf -d program | grep NEEDED; then exit 1; fi
./program | diff -u "$name.out" -
