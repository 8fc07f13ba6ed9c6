#!/usr/bin/env bash
# Makes the builds beside this script: ./make.sh [NVCC]. They were made with nvcc 13.0.88.
# Each of the two is compiled in a folder of its own, as two checkouts would be, for two architectures,
# with the text that ptxas prints beside the cubins.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nvcc=$(command -v "${1:-nvcc}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

build() { # name, options
    mkdir -p "$scratch/$1" "$here/$1"
    cp "$here/filters.cu" "$scratch/$1"
    for arch in sm_80 sm_90; do
        (
            cd "$scratch/$1"
            "$nvcc" -arch=$arch -Xptxas -v "${@:2}" -cubin -o filters.$arch.cubin filters.cu 2>filters.$arch.log
        )
        gzip -9nc "$scratch/$1/filters.$arch.cubin" >"$here/$1/filters.$arch.cubin.gz"
    done
    cat "$scratch/$1"/*.log >"$here/$1/ptxas.log"
}
build before
build after -DAFTER
