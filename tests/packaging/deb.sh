#!/usr/bin/env bash
# The Debian package: what it says of itself, what is in it and how, and that the command in it runs.
# tools/try-deb installs it for real.
set -euo pipefail
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan)_' >/dev/null; then exit 77; fi
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "no $tool here"; exit 77; }
done
umask 077 # what is packed must not depend on it
fail() {
    echo "FAILED: $*"
    exit 1
}

deb=$("$SEPAL_SOURCE/tools/deb" "$(dirname "$SEPAL_STATIC")/.." .)
version=$("$SEPAL" --version | awk '{ print $2 }')
[ "$(basename "$deb")" = "sepal_${version}_$(dpkg --print-architecture).deb" ] || fail "its name: $deb"
dpkg-deb --info "$deb" >info
for line in 'Package: sepal$' "Version: $version\$" 'Section: math$' 'Depends: .*libc6 (' \
    'Maintainer: .*<.*@.*>$' 'Description: [^ ].*[^.]$' 'Installed-Size: [1-9]'; do
    grep -q "^ $line" info || fail "no '$line' in: $(cat info)"
done
# The fast BLAS comes first, where the build uses one.
if grep -q 'libblas' info; then grep -q 'Depends: libopenblas0 |' info || fail "$(cat info)"; fi

dpkg-deb --contents "$deb" >contents
if grep -v '^[^ ]* root/root ' contents; then fail "these are not root's"; fi
if grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) ' contents; then fail "odd permissions"; fi
if grep -E '^-rwx' contents | grep -v ' ./usr/bin/sepal$'; then fail "these are no programs"; fi
if grep -E ' \./(usr/local|opt|tmp|home)' contents; then fail "these are in the wrong place"; fi

dpkg-deb --extract "$deb" root
for page in root/usr/share/man/man1/sepal{,-train,-predict,-help}.1.gz root/usr/share/man/man3/libsepal.3.gz \
    root/usr/share/doc/sepal/changelog.gz; do
    gzip -t "$page" || fail "$page"
done
for file in lib/libsepal.so.0 lib/libsepal.a include/sepal/sepal.h lib/pkgconfig/sepal.pc \
    share/doc/sepal/copyright share/bash-completion/completions/sepal \
    share/zsh/vendor-completions/_sepal share/fish/vendor_completions.d/sepal.fish; do
    [ -s root/usr/$file ] || fail "lacks $file"
done
for file in root/usr/bin/sepal root/usr/lib/libsepal.so.0; do
    if readelf -d "$file" | grep -E 'R(UN)?PATH'; then fail "$file: RPATH"; fi
    if readelf -S "$file" | grep -F .symtab; then fail "$file is not stripped"; fi
done
unset LD_LIBRARY_PATH
root/usr/bin/sepal --version | grep -F "sepal $version"
root/usr/bin/sepal describe root/usr/share/doc/sepal/examples/data/iris.csv | grep -F '150 rows'
