#!/usr/bin/env bash
# Makes the builds of a project as CMake leaves them, ./make.sh [NVCC]: objects, a static and a shared library,
# a program, what the compiler printed, and the objects with which CMake tries the compiler. Two versions, before
# and after, of two architectures. They were made with nvcc 13.0.88 and packed with tar and xz.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nvcc=$(command -v "${1:-nvcc}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
archs=(-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90)

for version in before after; do
    build=$scratch/$version
    objects=$build/CMakeFiles/img.dir
    probe=$build/CMakeFiles/3.28.1
    mkdir -p "$objects" "$probe/CompilerIdCUDA" "$build/CMakeFiles/app.dir"
    define=$([ $version = after ] && echo -DAFTER || true)
    cd "$build"
    cp "$here"/*.cu "$here"/*.h .
    for file in a b; do
        "$nvcc" "${archs[@]}" -Xptxas -v -Xcompiler -fPIC $define -c $file.cu -o "$objects/$file.cu.o" 2>>build.log
    done
    "$nvcc" "${archs[@]}" -c main.cu -o CMakeFiles/app.dir/main.cu.o
    ar qc libimg.a "$objects"/*.o
    "$nvcc" -shared -cudart none "${archs[@]}" -o libimg.so "$objects"/*.o
    "$nvcc" -cudart none "${archs[@]}" -o app CMakeFiles/app.dir/main.cu.o libimg.a -Xlinker --unresolved-symbols=ignore-all
    echo '__global__ void probe() {}' >probe.cu
    "$nvcc" "${archs[@]}" -c probe.cu -o "$probe/CMakeDetermineCompilerABI_CUDA.bin"
    cp "$probe/CMakeDetermineCompilerABI_CUDA.bin" "$probe/CompilerIdCUDA/a.out"
    rm -f ./*.cu ./*.h
    strip --strip-debug libimg.so app
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cJf "$here/$version.tar.xz" -C "$scratch" $version
done
