"""The page answers exactly as the library does: its engine in V8 beside ours."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy.advice.waves import count_waves, full_wave
from occupancy.arrays import sweep_arrays
from occupancy.engine import Model, evaluate
from occupancy.page import build
from occupancy.page.build import build_page
from occupancy.page.rules import rules
from occupancy.tables import shipped
from occupancy.tables.gpus import all_gpus, find_gpu
from occupancy.values.kernel import MAX_REGISTERS_PER_THREAD, Kernel, Launch
from occupancy.values.limits import Limits
from tests.page.engine import PageEngine, Question, models_of, own_answer, random_questions, script
from tests.sampling import sampled

CHIPS_AND_MODELS = [
    pytest.param(str(cc), model, id=f"{cc}-{model}")
    for cc in shipped.known()
    for model in models_of(shipped.limits(cc))
]
REGISTERS = range(MAX_REGISTERS_PER_THREAD + 1)


@pytest.fixture(scope="module")
def engine() -> PageEngine:
    return PageEngine()


@pytest.mark.parametrize(("cc", "model"), CHIPS_AND_MODELS)
@sampled("count", sample=150, everything=20_000)
def test_answers_advice_and_arithmetic(engine: PageEngine, cc: str, model: Model, count: int) -> None:
    """So many for each model, on all of its chips together."""
    chips = sum(parameters.values[1] == model for parameters in CHIPS_AND_MODELS)
    questions = random_questions(cc, model, -(-count // chips), seed=count)
    for question, found in zip(questions, engine.answers(questions), strict=True):
        assert found == own_answer(question), question


def steps_of(limits: Limits) -> range:
    """One size of each step in which shared memory is allocated, and some that are too large."""
    unit = limits.shared_memory_allocation_unit
    return range(0, limits.max_shared_memory_per_block_optin + 3 * unit, unit)


def differences(engine: PageEngine, cc: str, model: Model, threads: range, sizes: range) -> int:
    """Combinations in which the page's blocks or limiters differ from those of the arrays."""
    limits = shipped.limits(cc)
    ours = sweep_arrays(
        [limits],
        dict(zip(("threads", "regs", "smem"), np.ix_(threads, REGISTERS, sizes), strict=True)),
        Kernel(1),
        model=model,
    )
    theirs = np.frombuffer(engine.grid(cc, model, threads, REGISTERS, sizes), np.uint8)
    theirs = theirs.reshape(*ours.active_blocks.shape, 2)
    differ = (theirs[..., 0] != ours.active_blocks) | (theirs[..., 1] != ours.limiters)
    return int(differ.sum())


@pytest.mark.parametrize(("cc", "model"), CHIPS_AND_MODELS)
@sampled("stride", sample=257, everything=1)
def test_grid(engine: PageEngine, cc: str, model: Model, stride: int) -> None:
    """Every count of registers, with every count of warps and every step of shared memory, or some of them.

    Threads beyond whole warps change nothing but what the exhaustive test looks at.
    """
    limits = shipped.limits(cc)
    size = limits.warp_size * max(1, stride // 15)
    for threads in range(limits.warp_size, limits.max_threads_per_block + 1, size):
        assert differences(engine, cc, model, range(threads, threads + 1), steps_of(limits)[::stride]) == 0


def test_no_chip_is_left_out() -> None:
    assert {parameters.values[0] for parameters in CHIPS_AND_MODELS} == set(map(str, shipped.known()))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("cc", "model"), CHIPS_AND_MODELS)
def test_the_whole_grid(engine: PageEngine, cc: str, model: Model) -> None:
    """The same with every count of threads."""
    limits = shipped.limits(cc)
    for threads in range(1, limits.max_threads_per_block + 1):
        assert differences(engine, cc, model, range(threads, threads + 1), steps_of(limits)) == 0


@pytest.mark.parametrize(
    ("rule", "mutated"),
    [
        ("(-py.floordiv((-$amount), $unit)) * $unit", "(py.floordiv($amount, $unit) + 1) * $unit"),
        ("FIRST_WITH_BARRIER_LIMIT$ = [9, 0]", "FIRST_WITH_BARRIER_LIMIT$ = [8, 0]"),
        ("$limits.reserved_shared_memory_per_block", "0"),
        (", $per_warp) * $sub_partitions", ", $per_warp)"),
    ],
)
def test_a_mutated_rule_is_caught(monkeypatch: pytest.MonkeyPatch, rule: str, mutated: str) -> None:
    text = rules()
    assert rule in text
    monkeypatch.setattr(build, "rules", lambda: text.replace(rule, mutated))
    engine = PageEngine(script())
    questions = [
        question for cc in ("6.0", "8.0", "9.0") for question in random_questions(cc, "cuda", 60, seed=1)
    ]
    found = engine.answers(questions)
    assert any(each != own_answer(question) for question, each in zip(questions, found, strict=True))


def test_words_are_those_of_the_library(engine: PageEngine) -> None:
    from occupancy.render import words

    shares = [0, 1e-5, 0.0004, 0.0625, 1 / 3, 0.375, 2 / 3, 0.99999, 1]
    assert engine.value(f"{shares}.map(words.percent)") == [words.percent(share) for share in shares]
    sizes = [0, 1, 1000, 1001, 1024, 1152, 9344, 98304, 232448, 1 << 20]
    assert engine.value(f"{sizes}.map(words.size)") == [words.size(size) for size in sizes]
    counts = [0, 1, 12, 1536, 1234567]
    assert engine.value(f'{counts}.map((each) => words.count(each, "block"))') == [
        words.count(each, "block") for each in counts
    ]


def test_products_and_limits_are_those_of_the_table(engine: PageEngine) -> None:
    found = engine.value("PRODUCTS.map(({ cc, name, sms }) => [cc, name, Number(sms)]).sort()")
    expected = [[each.cc, each.name, each.multiprocessor_count] for each in all_gpus()]
    assert sorted(found) == sorted(expected)
    assert engine.value("CHIPS") == json.loads(
        json.dumps([_plain(shipped.limits(cc)) for cc in shipped.known()])
    )


def _plain(limits: Limits) -> dict[str, object]:
    major, minor = limits.compute_capability
    return {**asdict(limits), "compute_capability": {"major": major, "minor": minor}}


@pytest.mark.parametrize(("cc", "model"), CHIPS_AND_MODELS)
@sampled("count", sample=5, everything=20)
def test_a_curve_is_the_answer_at_every_value(engine: PageEngine, cc: str, model: Model, count: int) -> None:
    """Also where a value is more than any kernel of the chip can have."""
    points, wrong = engine.curves(random_questions(cc, model, count, seed=3))
    assert points > 250 * count
    assert wrong == []


def test_waves_with_measured_clusters(engine: PageEngine) -> None:
    kernel = Kernel(256, 40)
    wave = full_wave(evaluate(shipped.limits("9.0"), kernel), 132, cluster_size=4)
    assert wave.measured is not None
    waves = count_waves(Launch(kernel, (4096, 1, 1), (4, 1, 1)), wave)
    question = '{ cc: "9.0", threads: "256", regs: "40", sms: "132", grid: "4096", cluster: "4" }'
    found = engine.value(
        f"((fields) => {{ const {{ wave, run }} = readLaunch(fields, readQuestion(fields));"
        f" return [wave, run.waves, run.last_wave_fill, run.idle_share, run.filling_grid_above,"
        f" wavesInWords(run.as_measured)]; }})"
        f"({question})"
    )
    assert found == [
        json.loads(json.dumps(asdict(wave))),
        waves.waves,
        waves.last_wave_fill,
        waves.idle_share,
        waves.filling_grid_above,
        str(waves.as_measured),
    ]


TYPED = {
    "threads": "256|16x16|16X16|16×16|16*16|(16, 16)|(256)|16,16|1,024|1_024|0x20|0|1025|1.5|-3|16x|8x8x8x1",
    "regs": "0|255|256|64.0|0x40|-1|abc",
    "dynamic-smem": "32k|32KB|32 kib|27.5k|0.3k|1m|228k|300k|1,024|1.5|0x400|10 bytes|.5k|5.k|1e3|2147483648",
    "carveout": "50|50 %|100|101|0|max|default|auto|AUTO|64k|65536|101k|100%|-1|50.5",
    "barriers": "0|1|16|17|x",
    "virtual-resources": "0|1|128|129|300",
    "tensor-memory": "32|33|64|512|513|544|608|0|99999|x",
    "shared-memory-mode": "oversized|x",
    "caching": "ca|cg|x",
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("cc", ["5.2", "9.0", "10.0", "10.7"])
def test_what_is_typed_is_read_as_by_the_library(engine: PageEngine, cc: str, name: str) -> None:
    """Or refused, as there; what a chip does not offer is not asked for on the page."""
    found: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    if not engine.value(f"isOffered(DATA.inputs.find((each) => each.name === '{name}'), chipOf('{cc}'))"):
        return
    for text in TYPED[name].split("|"):
        fields: dict[str, Any] = {"threads": "256", "regs": "64", name: text}
        found[text] = engine.value(
            f"(({{ answer }}) => answer && [answer.active_blocks, answer.occupancy])"
            f"(readQuestion({json.dumps({'cc': cc, **fields})}))"
        )
        try:
            answer = occupancy.compute(cc, **{key.replace("-", "_"): each for key, each in fields.items()})
            expected[text] = [answer.active_blocks, answer.occupancy]
        except occupancy.InputError:
            expected[text] = None
    assert found == expected


def test_a_name_for_the_command_line_is_one_there(engine: PageEngine) -> None:
    """Of names in full, and of each part of them, it means the same there, or the page has none for it."""
    parts = [each.label.split() for each in all_gpus()]
    texts = sorted({" ".join(words[a:b]) for words in parts for b in range(len(words) + 1) for a in range(b)})
    texts = ["H100", "RTX 4090", *texts[::3]]
    wanted = "({ cc, name = null }) => [cc, name]"
    named = engine.value(f"{json.dumps(texts)}.map(findProduct).map({wanted})")
    found = {text: (cc, name) for text, (cc, name) in zip(texts, named, strict=True) if cc and name}
    assert {name: cc for cc, name in found.values()} == {
        name: find_gpu(name).cc for _, name in found.values()
    }
    assert found["H100"] == ("9.0", "H100")
    assert found["RTX 4090"] == ("8.9", "GeForce RTX 4090")
    assert len(found) > 0.8 * len(texts)


@pytest.mark.parametrize(
    ("gpu", "chip"),
    [
        ("H100", "--gpu H100"),
        ("h100 sxm", "--gpu 'h100 sxm'"),
        ("GT 1030", "--cc 9.0"),
        ("", "--cc 9.0"),
        ("RTX 4090", "--cc 9.0"),
    ],
)
def test_the_command_names_the_product_that_was_asked_for(engine: PageEngine, gpu: str, chip: str) -> None:
    """Where it is one of the chip."""
    fields = json.dumps({"cc": "9.0", "gpu": gpu, "threads": "256"})
    command = engine.value(f"((fields) => toCommand(fields, readQuestion(fields)))({fields})")
    assert command == f"occupancy calc {chip} --threads 256"


def test_a_question_with_all_of_it(engine: PageEngine) -> None:
    question = Question("7.0", "cuda", Kernel(128, 37))
    found = engine.answers([question])[0]
    assert (found["occupancy"], found["active_blocks"], found["limiters"]) == (0.75, 12, ["registers"])


def test_size() -> None:
    assert len(build_page("0.1.0").encode()) < 150_000
