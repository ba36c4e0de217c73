#!/usr/bin/env bash
# Another program builds against what `make install` leaves, with the shared and the static library.
set -euo pipefail

# A sanitized library needs a sanitized program.
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan)_' >/dev/null; then exit 77; fi
cmake --install "$(dirname "$SEPAL_STATIC")/.." --prefix "$PWD/there" >install.log
export PKG_CONFIG_PATH=$PWD/there/lib/pkgconfig LD_LIBRARY_PATH=$PWD/there/lib
cat >user.c <<'END'
#include <sepal/sepal.h>
#include <stdio.h>
int main(void) { return puts(sepal_version()) < 0; }
END
# shellcheck disable=SC2046 # flags are words
gcc user.c $(pkg-config --cflags --libs sepal) -o shared
# shellcheck disable=SC2046
gcc user.c $(pkg-config --cflags sepal) there/lib/libsepal.a $(pkg-config --static --libs-only-l sepal |
    sed 's/-lsepal//') -pthread -o static
version=$(pkg-config --modversion sepal)
[ "$(./shared)" = "$version" ]
[ "$(./static)" = "$version" ]
there/bin/sepal --version | grep -F "$version"
