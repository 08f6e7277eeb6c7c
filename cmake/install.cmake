# cmake --install: binary, library in both forms, headers, pkg-config file, data, man pages,
# shell completions.
if(TARGET reckon)
  install(TARGETS reckon)
endif()
if(TARGET reckon-mpi)
  install(TARGETS reckon-mpi)
endif()
if(TARGET reckon-run)
  install(TARGETS reckon-run reckon_run)
endif()
install(TARGETS reckon_shared reckon_static)
install(DIRECTORY include/reckon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/data)
  install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/reckon FILES_MATCHING PATTERN "*.json" PATTERN "*.csv" PATTERN "*.txt" PATTERN "*.sql" PATTERN "*.sh"
    PATTERN formats EXCLUDE) # compiled in
endif()

if(TARGET manual)
  foreach(section 1 5)
    install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section}
      FILES_MATCHING PATTERN "*.${section}")
  endforeach()
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completions/reckon.bash RENAME reckon
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completions/_reckon
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completions/reckon.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# The prefix is the folder the file lies in, so that a staged or moved install keeps working.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE PC_PREFIX)
string(REPLACE ";" " " PC_REQUIRES "${RECKON_REQUIRES}")
configure_file(cmake/reckon.pc.in reckon.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/reckon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET reckon_run)
  configure_file(cmake/reckon-run.pc.in reckon-run.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/reckon-run.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
