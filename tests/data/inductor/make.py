"""Extract the cache and the trace beside this script from complete ones: ``python make.py CACHE TRACE.json.gz``.

Both are from one run on an H200 with PyTorch 2.11: training steps of a transformer with two layers
(width 512, batches of 8 x 512 in bfloat16, vocabulary of 8,192), compiled with ``torch.compile``, with pointwise
autotuning (``max_autotune_pointwise``) and TORCHINDUCTOR_CACHE_DIR=/tmp/inductor, and recorded with
``torch.profiler``. The extract has four kernels with all candidates (metadata, cubins, generated source, the
autotuner's choice), and the comments about kernels in the calling modules. Cubins and sources are compressed.
The trace is unchanged.
"""

import gzip
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent

KERNELS = (
    "triton_red_fused_sum_1",
    "triton_per_fused_sum_2",
    "triton_poi_fused_gelu_view_2",
    "triton_per_fused_add_native_layer_norm_view_4",
)


def keep(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix in (".cubin", ".py"):
        path, content = Path(f"{path}.gz"), gzip.compress(content, mtime=0)
    path.write_bytes(content)


def main(cache: Path, trace: Path) -> None:
    target = HERE / "cache"
    shutil.rmtree(target, ignore_errors=True)
    for name in KERNELS:
        for metadata in sorted(cache.glob(f"triton/*/{name}.json")):
            keep(target / metadata.relative_to(cache), metadata.read_bytes())
            image = metadata.with_suffix(".cubin")
            keep(target / image.relative_to(cache), image.read_bytes())
    for module in sorted(cache.glob("??/*.py")):
        text = module.read_text(encoding="utf-8")
        if "# kernel path: " in text:
            # Comments about kernels, and the line with the name of each kernel.
            said = re.findall(
                r"^(?:# .*Original ATen: .*|# kernel path: .*|\w+ = async_compile\..*)$", text, re.M
            )
            keep(target / module.relative_to(cache), "\n\n".join(said).encode() + b"\n")
        elif any(f"def {name}(" in text for name in KERNELS):
            keep(target / module.relative_to(cache), text.encode())
            for choice in module.parent.glob("*.best_config"):
                keep(target / choice.relative_to(cache), choice.read_bytes())
    shutil.copyfile(trace, HERE / "trace.json.gz")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
