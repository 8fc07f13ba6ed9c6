"""CUDA C++ to machine code, through NVRTC, NVIDIA's compiler as a library."""

from __future__ import annotations

from typing import Any

from ..errors import DeviceError, MissingDependencyError
from ..values.limits import ComputeCapability

NVRTC_HINT = "Install NVRTC: pip install 'cuda-bindings[all]', or a CUDA toolkit."
OLDER_HINT = "Install the cuda-bindings of an older CUDA: pip install 'cuda-bindings[all]<13'."


def compile_cuda(source: str, cc: ComputeCapability, variant: str = "") -> bytes:
    """Compile CUDA C++ for a GPU.

    An NVRTC older than the GPU returns PTX for the newest compute capability that it supports, and the
    driver compiles that.

    Args:
        source: CUDA C++.
        cc: The GPU's compute capability.
        variant: ``"a"`` for instructions of this architecture alone; NVRTC must support it.

    Raises:
        MissingDependencyError: The package cuda-bindings, or NVRTC itself, is not installed.
        DeviceError: NVRTC reports errors, or supports only newer GPUs; the message has its log.
    """
    nvrtc = _load_nvrtc()
    wanted = cc.major * 10 + cc.minor
    supported = [arch for arch in _call(nvrtc, "nvrtcGetSupportedArchs") if arch <= wanted]
    if not supported or (variant and wanted not in supported):
        raise DeviceError(
            f"the installed NVRTC {'does not yet compile' if supported else 'no longer compiles'} for "
            f"{cc}{variant}",
            where="NVRTC",
            hint=NVRTC_HINT if supported else OLDER_HINT,
        )
    is_exact = wanted in supported
    program = _call(nvrtc, "nvrtcCreateProgram", source.encode(), b"occupancy.cu", 0, [], [])
    try:
        target = f"--gpu-architecture={'sm' if is_exact else 'compute'}_{max(supported)}{variant}"
        (status,) = nvrtc.nvrtcCompileProgram(program, 1, [target.encode()])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _output(nvrtc, "ProgramLog", program).rstrip(b"\0\n").decode(errors="replace")
            raise DeviceError(f"NVRTC reports errors: {log}", where="NVRTC")
        return _output(nvrtc, "CUBIN" if is_exact else "PTX", program)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def nvrtc_version() -> str:
    """Return the version of NVRTC, such as ``"13.0"``.

    Raises:
        MissingDependencyError: The package cuda-bindings, or NVRTC itself, is not installed.
    """
    major, minor = _call(_load_nvrtc(), "nvrtcVersion")
    return f"{major}.{minor}"


def _load_nvrtc() -> Any:
    try:
        from cuda.bindings import nvrtc
    except ImportError as error:
        raise MissingDependencyError(
            "the package cuda-bindings is not installed", where="NVRTC", hint=NVRTC_HINT
        ) from error
    return nvrtc


def _call(nvrtc: Any, name: str, *arguments: Any) -> Any:
    try:
        status, *values = getattr(nvrtc, name)(*arguments)
    except RuntimeError as error:  # raised by the bindings without the library
        raise MissingDependencyError("NVRTC is not installed", where="NVRTC", hint=NVRTC_HINT) from error
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, text = nvrtc.nvrtcGetErrorString(status)
        raise DeviceError(f"{name} returned {text.decode()}", where="NVRTC", hint=NVRTC_HINT)
    if len(values) > 1:
        return tuple(values)
    return values[0] if values else None


def _output(nvrtc: Any, kind: str, program: Any) -> bytes:
    size: int = _call(nvrtc, f"nvrtcGet{kind}Size", program)
    buffer = bytearray(size)  # filled by the call
    _call(nvrtc, f"nvrtcGet{kind}", program, buffer)
    return bytes(buffer)
