#!/usr/bin/env bash
# Makes the samples beside this script: ./make.sh PTXAS_13_5 PTXAS_12_9 [NVCC_13_0].
# The assemblers are those of the packages nvidia-cuda-nvcc 13.5.37 and nvidia-cuda-nvcc-cu12 12.9.86; nvcc is
# 13.0.88. h200/ holds what ran on an H200 (CUDA 13.0, -DSPILL and -DREGS=32, 40, 64), and is not made again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
newest=$(realpath "$1") older=$(realpath "$2") nvcc=$(command -v "${3:-nvcc}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

assemble() { # assembler, version of PTX, source, architecture, name
    sed "s/@VERSION@/$2/; s/@TARGET@/sm_$4/" "$here/$3.ptx" >"$scratch/$3.ptx"
    (cd "$scratch" && "$1" -v -arch="sm_$4" "$3.ptx" -o "$5.cubin" 2>"$5.ptxas.txt")
    keep "$5"
}
keep() { # name
    gzip -9nc "$scratch/$1.cubin" >"$here/$1.cubin.gz"
    grep -v 'Compile time' "$scratch/$1.ptxas.txt" >"$here/$1.ptxas.txt"
}
for arch in 100a 103a 107a 110a 100f; do assemble "$newest" 9.4 tensor_memory $arch tensor_memory_$arch; done
assemble "$older" 8.8 tensor_memory 100a tensor_memory_100a_12.9
for arch in 90a 100a 120a; do assemble "$newest" 9.4 warp_specialised $arch warp_specialised_$arch; done
for arch in 80 90; do
    (
        cd "$scratch"
        cp "$here/smem_spilling.cu" .
        "$nvcc" -arch=sm_$arch -Xptxas -v -cubin -o smem_spilling_$arch.cubin smem_spilling.cu \
            2>smem_spilling_$arch.ptxas.txt
    )
    keep smem_spilling_$arch
done
"$nvcc" -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_100f,code=sm_103f \
    -gencode arch=compute_103a,code=sm_103a -fatbin -o "$scratch/family.fatbin" "$here/family.cu"
gzip -9nc "$scratch/family.fatbin" >"$here/family.fatbin.gz"
(
    cd "$scratch"
    "$nvcc" -dc -gencode 'arch=compute_80,code=[sm_80,compute_80]' -gencode arch=compute_90a,code=compute_90a \
        -gencode arch=compute_100f,code=compute_100f -o linked.o "$here/linked.cu"
    "$nvcc" -dlink -gencode arch=compute_80,code=sm_80 -o program.o linked.o
    ar rcD linked.a program.o linked.o
)
gzip -9nc "$scratch/linked.a" >"$here/linked.a.gz"
