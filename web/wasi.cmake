# wasi.cmake - the toolchain of the page: Debian's clang and lld, with wasi-libc as the C library.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# GNU's ar, the only one where nothing else is installed, writes no index of WebAssembly objects.
set(CMAKE_AR llvm-ar CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB llvm-ranlib CACHE FILEPATH "" FORCE)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Headers of wasi-libc alone, never those of this machine's own C library beside them.
set(CMAKE_C_FLAGS_INIT "-nostdlibinc -isystem /usr/include/wasm32-wasi")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
