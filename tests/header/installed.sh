#!/usr/bin/env bash
# What `make install` leaves is complete, and another program builds against it, with the shared and
# with the static library, and trains and predicts.
set -euo pipefail

# A sanitized library needs a sanitized program, one that counts a counting one.
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan|gcov)_' >/dev/null; then exit 77; fi
build=$(dirname "$SEPAL_STATIC")/..
DESTDIR=$PWD/root cmake --install "$build" --prefix /opt/sepal >install.log
there=$PWD/root/opt/sepal
share=$there/share
for file in bin/sepal lib/libsepal.a lib/libsepal.so include/sepal/sepal.h lib/pkgconfig/sepal.pc \
    share/man/man1/sepal.1 share/man/man1/sepal-train.1 share/man/man3/libsepal.3 \
    share/bash-completion/completions/sepal share/zsh/site-functions/_sepal \
    share/fish/vendor_completions.d/sepal.fish share/doc/sepal/README.md \
    share/doc/sepal/copyright share/doc/sepal/docs/formats.md; do
    [ -s "$there/$file" ] || { echo "not installed: $file"; exit 1; }
done
if readelf -d "$there/bin/sepal" "$there/lib/libsepal.so" | grep -E 'R(UN)?PATH'; then
    echo "these look for libraries in a folder of their own"
    exit 1
fi

export PKG_CONFIG_PATH=$there/lib/pkgconfig
version=$(pkg-config --modversion sepal)
"$there/bin/sepal" --version | grep -F "$version"

ln -s "$share/doc/sepal/examples" examples
program=examples/01_read_train_save
# shellcheck disable=SC2046 # flags are words
gcc $program.c $(pkg-config --cflags --libs sepal) -o shared
# An inner name of the library may be one of the program's, too.
inner=$(nm --extern-only --defined-only "$build"/internal/libsepal_static.a 2>/dev/null |
    awk '$2 == "T" && $3 !~ /^sepal_/ { print $3 }' | sed -n 1p)
echo "int $inner(void); int $inner(void) { return 7; }" >clash.c
# shellcheck disable=SC2046
gcc $program.c clash.c -Wl,-Bstatic $(pkg-config --cflags --libs sepal) -Wl,-Bdynamic \
    $(pkg-config --static --libs-only-l sepal | sed 's/-lsepal//') -pthread -o static
LD_LIBRARY_PATH=$there/lib ./shared >shared.out
./static >static.out
cmp shared.out $program.out
cmp static.out $program.out
