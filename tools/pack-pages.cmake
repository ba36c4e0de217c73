# Run by cpack between installing and packaging: pack what a Debian package has packed. -n leaves
# the time out, so that the same pages give the same bytes.
file(GLOB pages "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/man*/*.[1-9]"
     "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/sepal/CHANGELOG.md")
if(NOT pages)
  message(FATAL_ERROR "no manual pages in ${CPACK_TEMPORARY_DIRECTORY}")
endif()
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/sepal/CHANGELOG.md.gz"
     "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/sepal/changelog.gz")
