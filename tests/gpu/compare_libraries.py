"""Compare the kernels of CUDA libraries with the driver of this machine's GPU.

``python -m tests.gpu.compare_libraries LIB...``: each argument is a library, an executable or an object, such
as the libcublas.so of a wheel. NVIDIA's cuobjdump extracts the images of this GPU's architecture, and the
driver loads them. The script compares registers, static shared memory, and resident blocks for random block sizes
and dynamic shared memory. It prints a row for each library and a line for each difference, and exits with 1 if
there are any. It needs a GPU, the extra ``occupancy[device]`` and cuobjdump.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import occupancy
from occupancy.device import Device, read_device
from occupancy.device.driver import Context, DriverCallError, Function

CASES = 6
"""Random block sizes and amounts of dynamic shared memory for each kernel."""

COUNTS = ("images", "kernels", "compared", "different")


def extract(library: Path, device: Device, folder: Path) -> list[Path]:
    program = shutil.which("cuobjdump")
    if program is None:
        sys.exit("cuobjdump not found: install the CUDA toolkit, and put its bin folder in PATH.")
    command = [program, "--extract-elf", "all", str(library.resolve())]
    run = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if run.returncode and "does not contain device code" not in run.stdout + run.stderr:
        sys.exit(f"cuobjdump failed on {library}: {run.stderr.strip()}")
    sm = device.compute_capability.sm
    names = {sm, f"{sm}a", f"{sm}f"}
    return sorted(path for path in folder.glob("*.cubin") if names & set(path.stem.split(".")))


def compare_image(context: Context, device: Device, image: Path, counts: Counter[str]) -> Iterator[str]:
    """Compare all kernels of an image; yield a line for each difference."""
    module = context.load(image.read_bytes())
    counts["images"] += 1
    records: list[occupancy.KernelRecord] = []
    with suppress(occupancy.ReadError):  # an image without kernels
        records = list(occupancy.stream_kernels(image))
    counts["kernels"] += len(records)
    known = context.driver.call("cuModuleGetFunctionCount", module)
    cases: list[tuple[str, object, object]] = [("kernels", known, len(records))]
    for record in records:
        found = compare_kernel(context, module, device, record)
        cases += ((f"{record.name}: {case}", driver, computed) for case, driver, computed in found)
    for case, driver, computed in cases:
        counts["compared"] += 1
        if driver != computed:
            counts["different"] += 1
            yield f"  {image.name}: {case}: driver {driver}, computed {computed}"


def compare_kernel(
    context: Context, module: object, device: Device, record: occupancy.KernelRecord
) -> Iterator[tuple[str, object, object]]:
    limits = device.row
    try:
        function = context.function(module, record.name)
        static = function.attribute("SHARED_SIZE_BYTES")
        yield "registers", function.attribute("NUM_REGS"), record.regs
        yield "static shared memory", static, record.static_smem
        most = limits.max_shared_memory_per_block_optin - static
        function.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", most)
    except DriverCallError as error:
        yield "attributes", error.code, "no error"
        return
    chance = random.Random(record.name)
    largest = min(record.max_threads or limits.max_threads_per_block, limits.max_threads_per_block)
    for _ in range(CASES):
        threads, dynamic = chance.randint(1, largest), chance.choice((0, chance.randint(0, most)))
        computed = occupancy.compute(limits, record, threads=threads, dynamic_smem=dynamic)
        case = f"{threads} threads, {dynamic} bytes of dynamic shared memory"
        yield case, resident_blocks(function, threads, dynamic), computed.active_blocks


def resident_blocks(function: Function, threads: int, dynamic: int) -> int | str:
    """Return the driver's resident blocks per SM, or its error."""
    try:
        return function.active_blocks(threads, dynamic)
    except DriverCallError as error:
        return error.code


def main(libraries: list[str]) -> int:
    if not libraries:
        sys.exit(__doc__)
    device = read_device()
    print(f"{device}, driver {device.driver_version}")
    print("library", *COUNTS, sep=",")
    different = 0
    for name in libraries:
        counts = Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            lines: list[str] = []
            for image in extract(Path(name), device, Path(folder)):
                with Context(device.index) as context:
                    lines += compare_image(context, device, image, counts)
        print(Path(name).name, *(counts[each] for each in COUNTS), sep=",")
        print("\n".join(lines), end="\n" * bool(lines), flush=True)
        different += counts["different"]
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
