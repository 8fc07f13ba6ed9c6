"""Recording and replay of calls of the CUDA driver, NVRTC and NVML.

`Recorder` wraps a module of the bindings and records each call with its result. `Player` replaces the module: it
returns the recorded results, and fails on any other call.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

CALL_PREFIXES = ("cu", "nvrtc", "nvml")
LONG = 64
"""Maximum bytes of a recorded argument. Longer ones (sources, images, buffers) are recorded as ``bytes``."""


class Tape:
    """Recorded calls with their arguments and the settings of the kernel."""

    def __init__(self, origin: dict[str, Any], answers: dict[str, Any]) -> None:
        self.origin = origin
        """GPU, driver and date of the recording."""
        self.answers = answers
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []
        self._settings: dict[str, dict[str, int]] = {}

    @classmethod
    def load(cls, path: Path) -> Tape:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return cls(**json.load(file))

    def save(self, path: Path) -> None:
        text = json.dumps({"origin": self.origin, "answers": self.answers}, indent=0, sort_keys=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))

    def key(self, call: str, arguments: tuple[Any, ...]) -> str:
        words = [self._word(argument) for argument in arguments]
        settings = self._settings.get(words[0]) if words else None
        if settings and call.startswith("cuOccupancy"):
            words += [f"{name}={value}" for name, value in sorted(settings.items())]
        return f"{call}({', '.join(words)})"

    def after(self, call: str, arguments: tuple[Any, ...]) -> None:
        """Remember the setting of a call until the kernel is loaded again."""
        if call == "cuModuleGetFunction":
            self._settings.pop(self.key(call, arguments), None)
        if call == "cuFuncSetAttribute":
            function, name, value = arguments
            self._settings.setdefault(self._word(function), {})[_enum_name(name)] = value

    def name(self, handle: Any, name: str) -> None:
        """Name a driver object for its use as an argument."""
        self._kept.append(handle)  # so that its id is not reused
        self._names[id(handle)] = name

    def _word(self, argument: Any) -> str:
        if id(argument) in self._names:
            return self._names[id(argument)]
        if hasattr(argument, "sharedMemBytes"):
            shape = f"grid {argument.gridDimX} block {argument.blockDimX} smem {argument.sharedMemBytes}"
            return f"{shape} cluster {argument.attrs[0].value.clusterDim.x}"
        if isinstance(argument, (bytes, bytearray)):
            return "bytes" if len(argument) > LONG or not argument.strip(b"\0") else argument.decode()
        return _enum_name(argument)


def _enum_name(value: Any) -> str:
    # The bindings' enumerations are not always those of the standard library.
    return getattr(value, "name", None) or str(value)


class Recorder:
    """Module of the bindings with recorded calls."""

    def __init__(self, module: Any, tape: Tape) -> None:
        self._module = module
        self._tape = tape

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._module, name)
        if not name.startswith(CALL_PREFIXES) or isinstance(function, type):
            return function

        def call(*arguments: Any) -> Any:
            key = self._tape.key(name, arguments)
            try:
                answer = function(*arguments)
            except Exception as error:
                self._tape.answers[key] = {"raises": type(error).__name__, "text": str(error)}
                raise
            several = answer if isinstance(answer, tuple) else (answer,)
            self._tape.answers[key] = [self._noted(value, key) for value in several]
            self._tape.after(name, arguments)
            return answer

        return call

    def _noted(self, value: Any, key: str) -> Any:
        if isinstance(value, int):
            return getattr(value, "name", value)
        if isinstance(value, bytes):
            return {"bytes": value.split(b"\0", 1)[0].decode()}
        if value is None or isinstance(value, (str, list)):
            return value
        self._tape.name(value, key)
        return {"handle": key}


class Names:
    """Enumeration of the bindings whose members are their names."""

    def __getattr__(self, name: str) -> str:
        if not name.isupper():
            raise AttributeError(name)
        return name


class Player:
    """Module of the bindings that replays a tape."""

    CUresult = CUdevice_attribute = CUfunction_attribute = CUlaunchAttributeID = Names()
    nvrtcResult = CUresult  # noqa: N815, the bindings' name

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.NVMLError = type("NVMLError", (Exception,), {})
        self.CUlaunchConfig = lambda: SimpleNamespace(sharedMemBytes=0)
        self.CUlaunchAttribute = lambda: SimpleNamespace(value=SimpleNamespace(clusterDim=SimpleNamespace()))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(CALL_PREFIXES):
            raise AttributeError(f"the recording has no {name}")

        def call(*arguments: Any) -> Any:
            key = self._tape.key(name, arguments)
            answer = self._tape.answers.get(key)
            assert answer is not None, f"{key} is not in the recording; tests/gpu/record.py makes a new one"
            if isinstance(answer, dict):
                raise (self.NVMLError if name.startswith("nvml") else RuntimeError)(answer["text"])
            self._tape.after(name, arguments)
            values = tuple(self._played(value) for value in answer)
            return values[0] if name.startswith("nvml") and len(values) == 1 else values

        return call

    def _played(self, value: Any) -> Any:
        if isinstance(value, dict) and "handle" in value:
            handle = SimpleNamespace()
            self._tape.name(handle, value["handle"])
            return handle
        if isinstance(value, dict):
            return value["bytes"].encode()
        return value


class Modules:
    """Replacement of the bindings' modules in a ``with`` statement; None: not installed."""

    def __init__(self, driver: Any, nvrtc: Any, nvml: Any, version: str) -> None:
        bindings = ModuleType("cuda.bindings")
        bindings.__dict__.update(driver=driver, nvrtc=nvrtc, __version__=version)
        cuda = ModuleType("cuda")
        cuda.__dict__.update(bindings=bindings)
        # None in sys.modules makes an import fail.
        self._modules: dict[str, Any] = {
            "cuda": cuda if driver is not None else None,
            "cuda.bindings": bindings if driver is not None else None,
            "pynvml": nvml,
        }

    def __enter__(self) -> None:
        self._before = {name: sys.modules[name] for name in self._modules if name in sys.modules}
        sys.modules.update(self._modules)

    def __exit__(self, *_: object) -> None:
        for name in self._modules:
            del sys.modules[name]
        sys.modules.update(self._before)
