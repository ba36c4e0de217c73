#!/usr/bin/env bash
# Every example, in C and C++, builds against the library that `make install` leaves, by pkg-config and by
# find_package(sepal), runs, and prints what its .out file says; and every function of the header is
# used by one of them.
set -euo pipefail
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan|gcov)_' >/dev/null; then exit 77; fi
failures=0
lines=$(wc -l <"$SEPAL_SOURCE/include/sepal/sepal.h")
[ "$lines" -le 400 ] || { echo "the header has $lines lines, 400 are the most"; failures=1; }
gcc -E -P "$SEPAL_SOURCE/include/sepal/sepal.h" | tr '\n' ' ' | tr ';' '\n' |
    sed -nE 's/.*visibility\("default"\).*[ *](sepal_[a-z0-9_]+)\(.*/\1/p' >functions
[ "$(wc -l <functions)" -gt 80 ] || { echo "hardly any function is declared"; failures=1; }
while read -r function; do
    cat "$SEPAL_SOURCE"/examples/*.c "$SEPAL_SOURCE"/examples/*.cpp | grep -E "\b$function\b" >/dev/null ||
        { echo "no example uses $function"; failures=1; }
done <functions

there=$PWD/root/opt/sepal
DESTDIR=$PWD/root cmake --install "$(dirname "$SEPAL_STATIC")/.." --prefix /opt/sepal >install.log
ln -s "$there/share/doc/sepal/examples" examples
export PKG_CONFIG_PATH=$there/lib/pkgconfig

mkdir by_cmake
cat >by_cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(examples C CXX)
find_package(sepal 0.1 REQUIRED)
file(GLOB sources ${EXAMPLES}/*.c ${EXAMPLES}/*.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE sepal::sepal m)
endforeach()
add_executable(static ${EXAMPLES}/05_memory.c)
target_link_libraries(static PRIVATE sepal::static)
END
cmake -S by_cmake -B by_cmake/build -DEXAMPLES="$PWD/examples" -DCMAKE_PREFIX_PATH="$there" >cmake.log
cmake --build by_cmake/build >>cmake.log || { tail -30 cmake.log; exit 1; }
by_cmake/build/static | diff -u examples/05_memory.out - || failures=1

for source in examples/*.c examples/*.cpp; do
    name=$(basename "${source%.*}")
    compile=(gcc -std=c17)
    [ "${source##*.}" = c ] || compile=(g++ -std=c++11)
    # shellcheck disable=SC2046 # flags are words
    "${compile[@]}" -Wall -Wextra -Werror "$source" $(pkg-config --cflags --libs sepal) -lm -o "$name"
    for program in "./$name" "by_cmake/build/$name"; do
        LD_LIBRARY_PATH=$there/lib "$program" >"$name.got" || { echo "FAILED: $program"; failures=1; }
        [ -f "examples/$name.out" ] || { echo "no examples/$name.out"; failures=1; }
        diff -u "examples/$name.out" "$name.got" || failures=1
    done
done
exit $failures
