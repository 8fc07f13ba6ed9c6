"""What the translator carries over, and what it refuses."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

from occupancy.page.compact import compact_script, compact_style, short_names
from occupancy.page.known import UnknownConstructError
from occupancy.page.rules import CALLED, rules
from occupancy.page.translator import translate

RUNTIME = Path(importlib.util.find_spec("occupancy.page").origin).parent / "files" / "runtime.js"  # type: ignore[union-attr, arg-type]

Translate = Callable[..., str]


@pytest.fixture
def translated(tmp_path: Path) -> Iterator[Translate]:
    """Translate the function ``f`` of a module with some source, as if it were one of ours."""
    names: list[str] = []

    def make(source: str) -> str:
        name = f"occupancy.sample_{len(names)}"
        path = tmp_path / f"sample_{len(names)}.py"
        path.write_text(f"from __future__ import annotations\nfrom dataclasses import *\n{source}\n")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        own = name.removeprefix("occupancy.")
        printed = [f"{own}.P"] if "class P" in source else []
        return translate({"f": f"{own}.f"}, printed=printed)

    yield make
    for name in names:
        del sys.modules[name]


def run(script: str, *arguments: Any) -> Any:
    context = MiniRacer()
    context.eval(compact_script(RUNTIME.read_text(encoding="utf-8") + script))
    return json.loads(str(context.eval(f"JSON.stringify(f(...{json.dumps(arguments)}))")))


SAME: list[tuple[Any, ...]] = [
    ("def f(a, b): return a // b, a % b, -(-a // b)", (7, 2), (-7, 2), (2**36 + 1, 3)),
    ("def f(a, b): return a or b", (0, 5), (None, 5), ([], 5), (3, 5), ("", 5)),
    ("def f(a, b): return a and b", (0, 5), ([], 5), (3, 5)),
    ("def f(a): return 'empty' if not a else 'full'", ([],), ([0],), (0,), ("",), ({},), ({"a": 1},)),
    ("def f(a, b): return (a, 2) < (b, 1), (a, 2) == (b, 2), a != b", (1, 1), (1, 2), (10, 9)),
    ("def f(a): return 1 <= a < 3, a in (1, 2), a not in (1, 2)", (0,), (1,), (3,)),
    ("def f(a): return f'{a} {a:,} {a / 3:.2f} {a / 1024:g} `${a}'", (1536,), (7,), (1234567,)),
    ("def f(a): return f'{None} {True} {(1, a)} {(a,)}'", (1,)),
    ("def f(a):\n b = [x * 2 for x in a if x]\n b += [1]\n return b, sum(b), len(b)", ([1, 0, 2],), ([],)),
    ("def f(a):\n *most, last = a\n first, *rest = a\n return most, last, first, rest", ([1, 2, 3],), ([1],)),
    ("def f(a): return min(a, default=0), max(a, key=lambda x: -x, default=9)", ([3, 1, 2],), ([],)),
    ("def f(a): return sorted(a, key=lambda x: (x % 2, -x)), list(reversed(a))", ([3, 1, 2, 4],)),
    ("def f(a):\n for i in range(a, 0, -2):\n  if i == 3: continue\n  if i < 2: break\n return i", (9,)),
    ("def g(n):\n if n:\n  yield n\n  yield from g(n - 1)\ndef f(n): return [*g(n)], next(g(0), None)", (3,)),
    ("def f(a):\n def inner(b): return a + b\n return [inner(x) for x in range(3)]", (5,)),
    ("def f(a, *, b=2, c=3): return [a, b, c]\ng = f", (1,)),
    ("def g(a, b=2, c=3): return [a, b, c]\ndef f(a): return g(a, c=9), g(c=1, a=a)", (1,)),
    ("X = {'a': (1, 2)}\ndef f(a): return X[a], X.get('b'), [k for k, v in X.items()]", ("a",)),
    ("def f(a):\n d = {}\n d[a] = 1\n d.update(b=2)\n return d, {k: v + 1 for k, v in d.items()}", ("a",)),
    ("def f(a):\n while a > 3:\n  a -= 2\n else_ = a\n return else_", (10,)),
    ("def f(a): return 'a {} b {}'.format(a, None).upper().split()", (1,)),
    ("def f(a): return [b for x in a if (b := x * 2) > 2 and x], (c := a[0]) + c", ([1, 2, 3],)),
    ("def f(new, default): return new + default", (1, 2)),
    (
        "from itertools import groupby\n"
        "def f(a): return [[k, list(g)] for k, g in groupby(a, lambda x: x // 2)]",
        ([0, 1, 2, 5, 4],),
    ),
    (
        "@dataclass(frozen=True)\nclass P:\n x: int\n y: int = 2\n @property\n"
        " def sum(self): return self.x + self.y\n def __str__(self): return f'<{self.x}>'\n"
        "def f(a):\n p = P(a)\n q = replace(p, y=5)\n return p.sum, q.sum, f'{q}', p == P(a)",
        (1,),
    ),
    (
        "from typing import NamedTuple\nclass T(NamedTuple):\n a: int\n b: int\n"
        "def f(x):\n t = T(x, 2)\n a, b = t\n return [*t], a, t.b, t >= (1, 2), t[1], t == (x, 2)",
        (1,), (0,), (10,),
    ),
    (
        "class C:\n __slots__ = ('n', 'm')\n def __init__(self, n):\n  self.n = m = n\n  self.m = m + 1\n"
        " def both(self): return [self.n, self.m]\n"
        "def f(n): return C(n).both()",
        (1,),
    ),
]  # fmt: skip


@pytest.mark.parametrize("sample", SAME, ids=lambda sample: sample[0])
def test_it_means_the_same(translated: Translate, sample: tuple[Any, ...]) -> None:
    source, *calls = sample
    script = translated(source)
    function = sys.modules[f"occupancy.{_last_sample()}"].f
    for arguments in calls:
        assert run(script, *arguments) == json.loads(json.dumps(function(*arguments))), arguments


def _last_sample() -> str:
    return max(name for name in sys.modules if name.startswith("occupancy.sample_")).removeprefix(
        "occupancy."
    )


REFUSED = [
    "def f(a):\n try:\n  return a\n except ValueError:\n  return 0",
    "def f(a):\n with a:\n  return 1",
    "def f(a):\n match a:\n  case 1: return 1",
    "def f(*a): return a",
    "def f(**a): return a",
    "def f(a): return a ** 2",
    "def f(a): return a & 1",
    "def f(a): return f'{a!r}'",
    "def f(a): return f'{a:>10}'",
    "def f(a): return {1, a}",
    "def f(a): return a[::2]",
    "def f(a): return [x for y in a for x in y]",
    "def f(a): return 0 < a() < 2",
    "def f(a): return a.strip(x=1)",
    "def f(a): return a.casefold()",
    "def f(a): return a.unknown",
    "def f(a): return eval(a)",
    "def f(a): return print(a)",
    "import math\ndef f(a): return math.ceil(a)",
    "from functools import reduce\ndef f(a): return reduce(max, a)",
    "def f(a):\n for x in a: pass\n else: return 1",
    "def f(a):\n del a",
    "def f(a):\n global X\n X = a",
    "def f(a):\n a.b = 1",
    "async def f(a): return a",
    "def f(a): return b'x'",
    "def f(a): return lambda *x: x",
    "def f(a): return '$a'",
    "def f(a): return f'$a {a}'",
    "X = '$a'\ndef f(a): return X",
    "def f(a): return 'a$'",
    "X = {1: 2}\ndef f(a): return X[a]",
    "X = object()\ndef f(a): return X",
    "def f(a): return g(a, b=1)\ndef g(a): return a",
    "@dataclass\nclass C:\n x: int\n def items(self): return self.x\ndef f(a): return C(a).items",
    "class C:\n def __init__(self): pass\n @classmethod\n def g(cls): return 1\ndef f(a): return C().g()",
]


@pytest.mark.parametrize("source", REFUSED)
def test_what_it_does_not_know_it_refuses(translated: Translate, source: str) -> None:
    with pytest.raises((UnknownConstructError, KeyError)):
        translated(source)


def test_the_refusal_says_where(translated: Translate) -> None:
    with pytest.raises(UnknownConstructError, match=r"occupancy\.sample_0, line 4: Try has no translation"):
        translated("def f(a):\n try: return 1\n finally: pass")


def test_two_modules_with_one_name_are_told_apart() -> None:
    assert "function cuda$evaluate" in rules() or "function spreadsheet$evaluate" in rules()


def test_compact() -> None:
    script = """
    // a comment
    const a = b + +c - -d; // another
    const text = "a  // b", rest = 'x  y', pattern = /[/ ]  \\/ +"/g;
    const made = `a  ${ [ `b  ${c + "}"}` ] }  //`;
    return a / b / c;
    """
    assert compact_script(script) == (
        "const a=b+ +c- -d;\n"
        'const text="a  // b",rest=\'x  y\',pattern=/[/ ]  \\/ +"/g;\n'
        'const made=`a  ${ [ `b  ${c + "}"}` ] }  //`;\n'
        "return a/b/c;\n"
    )
    assert compact_style("a > b {\n  margin: 0 calc(1px - 2px);\n  color: red;\n}\n") == (
        "a > b{margin:0 calc(1px - 2px);color:red}"
    )


def test_what_is_generated_has_short_names() -> None:
    rules = (
        "const X$ = 1; class C$ {}; "
        "function f$($limits, $unit = X$) "
        "{ return `a${$limits}${new C$(X$)}` + [$limits.unit, {unit: $unit}].$; }"
    )
    assert short_names(rules) == (
        "const a = 1; class c {}; function e(b, d = a) { return `a${b}${new c(a)}` + [b.unit, {unit: d}].$; }"
    )
    assert short_names("py.add(py.add(py.add(1, 2), 3), py.len($x))") == (
        "const a = py.add;\na(a(a(1, 2), 3), py.len(b))"
    ), "what is often called, too"


def test_no_two_files_have_a_name_in_common() -> None:
    texts = [path.read_text(encoding="utf-8") for path in RUNTIME.parent.glob("*.js")]
    names = [
        *(name for text in texts for name in _declared(r"function\*? |class |const ", text)),
        *_declared(r"function\*? |class ", rules()),
        *CALLED,
    ]
    assert len(names) == len(set(names)) > 100


def _declared(by: str, text: str) -> list[str]:
    return re.findall(rf"^(?:async )?(?:{by})([\w$]+)", text, re.MULTILINE)
