#!/usr/bin/env bash
# Makes the cubins beside this script: ./make.sh [NVCC]. They were made with nvcc 13.0.88.
# `linked` is of two files that are compiled apart, so that its table of lines has two units.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${1:-nvcc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here"/*.cu "$scratch"
cd "$scratch"
"$nvcc" -arch=sm_90 -lineinfo -cubin -o alone.cubin kernels.cu
"$nvcc" -arch=sm_80 -lineinfo -rdc=true -cubin -o one.cubin kernels.cu
"$nvcc" -arch=sm_80 -lineinfo -rdc=true -cubin -o two.cubin more.cu
"$nvcc" -arch=sm_80 -dlink -cubin -o linked.cubin one.cubin two.cubin
for name in alone one linked; do gzip -9nc $name.cubin >"$here/$name.cubin.gz"; done
