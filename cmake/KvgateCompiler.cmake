# Warnings, sanitizers and the definitions that every translation unit must agree on.
add_library(kvgate_options INTERFACE)
target_compile_features(kvgate_options INTERFACE cxx_std_20)
target_include_directories(kvgate_options INTERFACE "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/src")
target_compile_options(kvgate_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
target_compile_definitions(kvgate_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION
  BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED
  # Coroutine frames are recycled per thread; the default of 2 slots is too few for nested frames of several sizes.
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=64
  KVGATE_VERSION="${PROJECT_VERSION}")

if(KVGATE_SANITIZE STREQUAL "address")
  target_compile_options(kvgate_options INTERFACE -fsanitize=address,undefined -fno-sanitize=vptr,null,alignment
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kvgate_options INTERFACE -fsanitize=address,undefined)
elseif(KVGATE_SANITIZE STREQUAL "thread")
  target_compile_options(kvgate_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  target_link_options(kvgate_options INTERFACE -fsanitize=thread)
elseif(NOT KVGATE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "KVGATE_SANITIZE must be empty, 'address' or 'thread', not '${KVGATE_SANITIZE}'")
endif()
