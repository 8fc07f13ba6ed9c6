"""CUDA C++ to machine code, through NVRTC, NVIDIA's compiler as a library."""

from __future__ import annotations

from typing import Any

from ..errors import DeviceError, MissingDependencyError
from ..values.limits import ComputeCapability

OLDER_HINT = "Install the cuda-bindings of an older CUDA: pip install 'cuda-bindings[all]<13'."
CURE = "Install NVRTC: pip install 'cuda-bindings[all]', or a CUDA toolkit."


def compile_cuda(source: str, cc: ComputeCapability, variant: str = "") -> bytes:
    """Compile CUDA C++ for a GPU.

    Where NVRTC is older than the GPU, the answer is PTX for the newest compute capability that it
    knows, which the GPU's driver then compiles.

    Args:
        source: CUDA C++.
        cc: The GPU's compute capability.
        variant: ``"a"`` for instructions that this very architecture has; then NVRTC must know it.

    Raises:
        MissingDependencyError: The package cuda-bindings, or NVRTC itself, is not installed.
        DeviceError: NVRTC refuses the source, or knows only newer GPUs; the message has its log.
    """
    nvrtc = _load_nvrtc()
    wanted = cc.major * 10 + cc.minor
    known = [arch for arch in _ask(nvrtc, "nvrtcGetSupportedArchs") if arch <= wanted]
    if not known or (variant and wanted not in known):
        verdict = "does not yet compile" if known else "no longer compiles"
        raise DeviceError(
            f"the installed NVRTC {verdict} for {cc}{variant}",
            where="NVRTC",
            hint=CURE if known else OLDER_HINT,
        )
    is_exact = wanted in known
    program = _ask(nvrtc, "nvrtcCreateProgram", source.encode(), b"occupancy.cu", 0, [], [])
    try:
        target = f"--gpu-architecture={'sm' if is_exact else 'compute'}_{max(known)}{variant}"
        (status,) = nvrtc.nvrtcCompileProgram(program, 1, [target.encode()])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _output(nvrtc, "ProgramLog", program).rstrip(b"\0\n").decode(errors="replace")
            raise DeviceError(f"NVRTC refuses the source: {log}", where="NVRTC")
        return _output(nvrtc, "CUBIN" if is_exact else "PTX", program)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def nvrtc_version() -> str:
    """The version of NVRTC, such as ``"13.0"``.

    Raises:
        MissingDependencyError: The package cuda-bindings, or NVRTC itself, is not installed.
    """
    major, minor = _ask(_load_nvrtc(), "nvrtcVersion")
    return f"{major}.{minor}"


def _load_nvrtc() -> Any:
    try:
        from cuda.bindings import nvrtc
    except ImportError as error:
        raise MissingDependencyError(
            "the package cuda-bindings is not installed", where="NVRTC", hint=CURE
        ) from error
    return nvrtc


def _ask(nvrtc: Any, name: str, *arguments: Any) -> Any:
    try:
        status, *values = getattr(nvrtc, name)(*arguments)
    except RuntimeError as error:  # so the bindings say that they do not find the library
        raise MissingDependencyError("NVRTC is not installed", where="NVRTC", hint=CURE) from error
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, text = nvrtc.nvrtcGetErrorString(status)
        raise DeviceError(f"{name} answers {text.decode()}", where="NVRTC", hint=CURE)
    if len(values) > 1:
        return tuple(values)
    return values[0] if values else None


def _output(nvrtc: Any, kind: str, program: Any) -> bytes:
    size: int = _ask(nvrtc, f"nvrtcGet{kind}Size", program)
    buffer = bytearray(size)  # which the call fills
    _ask(nvrtc, f"nvrtcGet{kind}", program, buffer)
    return bytes(buffer)
