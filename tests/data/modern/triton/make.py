"""Compile the kernels beside this script with Triton: ``python make.py``. They are from Triton 3.9.0.

The kernel is a 16-bit matrix product with tiles of 128 x 128 x 64, 3 stages and ``num_warps=4``. For 10.0 and
9.0 it is compiled with warp specialization, which adds warps, and for 9.0 also with clusters of two blocks.
No GPU is needed.
"""

import gzip
import importlib
import json
import os
import runpy
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
VARIANTS = {"specialised_100": (100, True, 1), "specialised_90": (90, True, 1), "cluster_90": (90, False, 2)}

SOURCE = """
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, SPECIALISED: tl.constexpr):
    left = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[128, 64])
    right = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[128, 64])
    out = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[128, 128])
    row, column = 128 * tl.program_id(0), 128 * tl.program_id(1)
    total = tl.zeros((128, 128), tl.float32)
    for k in tl.range(0, K, 64, warp_specialize=SPECIALISED):
        total = tl.dot(left.load([row, k]), right.load([column, k]).T, total)
    out.store([row, column], total.to(tl.float16))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        triton = importlib.import_module("triton")
        target_of = importlib.import_module("triton.backends.compiler").GPUTarget
        source_of = importlib.import_module("triton.compiler").ASTSource

        module = Path(folder, "product.py")
        module.write_text(SOURCE, encoding="utf-8")
        product = runpy.run_path(str(module))["product"]
        names = product.arg_names
        types = dict.fromkeys("abc", "*fp16") | dict.fromkeys("MNK", "i32")
        for name, (cc, is_specialised, blocks) in VARIANTS.items():
            source = source_of(
                product,
                {each: types.get(each, "constexpr") for each in names},
                constexprs={(names.index("SPECIALISED"),): is_specialised},
                attrs={(names.index(each),): [["tt.divisibility", 16]] for each in types},
            )
            options = {"num_warps": 4, "num_stages": 3, "num_ctas": blocks}
            made = triton.compile(source, target=target_of("cuda", cc, 32), options=options)
            metadata = json.loads(Path(made.metadata_group["product.json"]).read_text(encoding="utf-8"))
            del metadata["extern_libs"]  # paths on this machine
            target = HERE / name
            target.mkdir(exist_ok=True)
            (target / "product.json").write_text(json.dumps(metadata) + "\n", encoding="utf-8")
            (target / "product.cubin.gz").write_bytes(gzip.compress(made.asm["cubin"], mtime=0))


if __name__ == "__main__":
    main()
