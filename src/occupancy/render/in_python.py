"""What our sentences name of the command line, as it is asked in Python: for a notebook."""

from __future__ import annotations

import re

_PHRASES = {
    "more levels in --format json": "more levels in next_steps()",
    "more level in --format json": "more level in next_steps()",
    "--format json": "to_dict()",
    "--occupancy or --blocks": "occupancy= or blocks=",
    " (--gpu)": "",
    "; on the command line --sms 132 will do, too": "",
    "--device 0, or ": "",
    "add the split: --setmaxnreg": "ask occupancy.registers() about the split:",
    "occupancy registers": "occupancy.registers() with",
}
"""What has another shape in Python, or nothing; where one is part of another, the longer stands first."""

_PRODUCTS = re.compile(r"occupancy gpus(?: --cc ([\d.,]+))? --sort sms")

_ARGUMENTS = {
    "all": "with_same=True",
    "arch": 'archs=["{}"]',
    "cc": "cc={}",
    "groups": "groups={}",
    "ignore-arch": "ignore_arch=True",
    "model": 'model="{}"',
    "name": 'name="{}"',
    "no-opt-in": "opt_in=False",
    "regs": "regs={}",
    "threads": "threads={}",
    "update": "update=True",
    "virtual-resources": "virtual_resources={}",
}
"""Option -> the argument, with its value where braces stand."""

_VALUE = r"(?: ([A-Z]+(?:=[A-Z]+)?|\d+|\.\.\.|all|cuda)(?!\w))?"
_OPTION = rf"--({'|'.join(_ARGUMENTS)}){_VALUE}"
_OPTIONS = re.compile(rf"(?<![\w-]){_OPTION}(?: {_OPTION})*")


def in_python(text: str) -> str:
    """One of our sentences with the arguments of a function in place of a command's options."""
    for phrase, other in _PHRASES.items():
        text = text.replace(phrase, other)
    text = _PRODUCTS.sub(_products, text)
    return _OPTIONS.sub(_arguments, text) if "--" in text else text


def _products(found: re.Match[str]) -> str:
    """``products(cc="9.0,10.0", sort="sms")``."""
    only = f'cc="{found[1]}", ' if found[1] else ""
    return f'occupancy.products({only}sort="sms")'


def _arguments(options: re.Match[str]) -> str:
    """``update=True, name="PART"`` for ``--update --name PART``."""
    found = re.finditer(_OPTION, options[0])
    return ", ".join(_argument(name, value) for name, value in (each.groups() for each in found))


def _argument(option: str, value: str | None) -> str:
    template = _ARGUMENTS[option]
    if "{}" not in template:  # a word after it is the sentence's own
        return template if value is None else f"{template} {value}"
    kernel, is_of_one, size = (value or "").partition("=")
    return template.format(f'{{"{kernel}": {size}}}' if is_of_one else kernel)
