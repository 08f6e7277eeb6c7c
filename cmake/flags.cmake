# Compiler flags of everything, as the interface library reckon_flags.
#
# Results must not depend on the compiler: no contraction to FMA, no fast-math, no -march.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-Og -g")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(reckon_flags INTERFACE)
target_compile_definitions(reckon_flags INTERFACE _GNU_SOURCE)
target_compile_options(reckon_flags INTERFACE
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wstrict-prototypes
  # That a loop stays scalar is news about speed, not a fault.
  $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>
  # What a row of a table leaves out is zero.
  $<$<C_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
target_link_options(reckon_flags INTERFACE -Wl,--as-needed)

if(RECKON_WERROR)
  target_compile_options(reckon_flags INTERFACE -Werror)
endif()
if(RECKON_WERROR AND NOT RECKON_SANITIZE)
  target_link_options(reckon_flags INTERFACE -Wl,--no-undefined)
endif()
if(RECKON_SANITIZE)
  target_compile_options(reckon_flags INTERFACE -fsanitize=${RECKON_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(reckon_flags INTERFACE -fsanitize=${RECKON_SANITIZE})
endif()
if(RECKON_FUZZ)
  target_compile_options(reckon_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(RECKON_COVERAGE)
  target_compile_options(reckon_flags INTERFACE --coverage)
  target_link_options(reckon_flags INTERFACE --coverage)
endif()
