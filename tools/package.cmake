# The Debian package, which tools/deb makes (by cpack) of what is installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sepal)
set(CPACK_PACKAGE_VENDOR "Sepal")
set(CPACK_PACKAGE_CONTACT "Sepal developers <sepal@developers.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "linear classification: command and C library")
set(CPACK_PACKAGE_DESCRIPTION
"Sepal finds hyperplanes that separate classes, and tells how well they do.
It reads tables and sparse text, plain or packed, trains, predicts, evaluates
and shows its weights. The same command gives the same bytes on any number of
cores.

This package has the command sepal, the library libsepal with its header, the
manual pages, and completion for bash, zsh and fish.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# What the files are linked with, found by dpkg-shlibdeps. Of all BLAS the fast one comes first:
# apt takes the first name when none is there yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(SEPAL_BLAS AND BLAS_LIBRARY AND LAPACK_LIBRARY)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libopenblas0 | libblas.so.3")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pkg-config, libopenblas-dev, libarchive-dev, zlib1g-dev")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Debian packs manual pages and the list of changes.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/pack-pages.cmake)
include(CPack)
