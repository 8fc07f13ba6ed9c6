"""The page's engine, run in V8, has the same results as the library."""

import json
import random
import re
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy.advice.launch_bounds import launch_bounds, register_cap
from occupancy.advice.next_steps import next_steps
from occupancy.advice.waves import WavesFields, full_wave
from occupancy.arrays import ArrayResults
from occupancy.engine import Result, default_model
from occupancy.page.build import build_page
from occupancy.tables import shipped
from occupancy.tables.gpus import all_gpus, find_gpu
from occupancy.values import numbers
from occupancy.values.fields import MAX_REGISTERS_PER_THREAD
from occupancy.values.kernel import Kernel, Launch
from occupancy.values.limits import Limits
from tests.cli_runner import as_json, run
from tests.page.engine import PageEngine, own_result, random_questions, script
from tests.sampling import sampled

CCS = [str(cc) for cc in shipped.known()]
KERNELS = Path(__file__).parent.parent / "data" / "kernels"
REGISTERS = range(MAX_REGISTERS_PER_THREAD + 1)


@pytest.fixture(scope="module")
def engine() -> PageEngine:
    return PageEngine()


@pytest.mark.parametrize("cc", CCS)
@sampled("count", sample=150, thorough=1_500, exhaustive=10_000)
def test_answers_advice_and_arithmetic(engine: PageEngine, cc: str, count: int) -> None:
    questions = random_questions(cc, -(-count // len(CCS)), seed=count)
    for question, found in zip(questions, engine.results(questions), strict=True):
        assert found == own_result(question), question


def steps_of(limits: Limits) -> range:
    """Return one size for each allocation step of shared memory, and some that are too large."""
    unit = limits.shared_memory_allocation_unit
    return range(0, limits.max_shared_memory_per_block_optin + 3 * unit, unit)


def differences(engine: PageEngine, cc: str, threads: range, registers: range, sizes: range) -> int:
    """Return the combinations for which blocks or limiters of the page and the arrays differ."""
    limits = shipped.limits(cc)
    ours = ArrayResults.compute(
        [limits],
        dict(zip(("threads", "regs", "smem"), np.ix_(threads, registers, sizes), strict=True)),
        Kernel(1),
        model=default_model(limits),
    )
    theirs = np.frombuffer(engine.grid(cc, threads, registers, sizes), np.uint8)
    theirs = theirs.reshape(*ours.active_blocks.shape, 2)
    differ = (theirs[..., 0] != ours.active_blocks) | (theirs[..., 1] != ours.limiters)
    return int(differ.sum())


@pytest.mark.parametrize("cc", CCS)
@sampled("stride", sample=257, thorough=29, exhaustive=13)
def test_grid(engine: PageEngine, cc: str, stride: int) -> None:
    """Compare all register counts and shared memory steps, each with a sample of the other, with whole warps."""
    limits = shipped.limits(cc)
    size = limits.warp_size * max(1, stride // 15)
    threads, steps = range(limits.warp_size, limits.max_threads_per_block + 1, size), steps_of(limits)
    assert differences(engine, cc, threads, REGISTERS, steps[::stride]) == 0
    assert differences(engine, cc, threads, REGISTERS[::stride], steps) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("cc", CCS)
def test_the_whole_grid(engine: PageEngine, cc: str) -> None:
    limits = shipped.limits(cc)
    for threads in range(1, limits.max_threads_per_block + 1):
        assert differences(engine, cc, range(threads, threads + 1), REGISTERS, steps_of(limits)) == 0


@pytest.mark.parametrize(
    ("rule", "mutated"),
    [
        ("Math.ceil(amount / unit) * unit", "(Math.floor(amount / unit) + 1) * unit"),
        ("limits.version >= 90 ? kernel.barriers", "limits.version >= 80 ? kernel.barriers"),
        ("sharedMemoryOf(kernel) + limits.reserved_shared_memory_per_block", "sharedMemoryOf(kernel)"),
        ("perWarp) * parts", "perWarp)"),
    ],
)
def test_a_mutated_rule_is_caught(rule: str, mutated: str) -> None:
    text = script()
    assert rule in text
    engine = PageEngine(text.replace(rule, mutated))
    questions = [each for cc in ("6.0", "8.0", "9.0") for each in random_questions(cc, 60, seed=1)]
    found = engine.results(questions)
    assert any(each != own_result(question) for question, each in zip(questions, found, strict=True))


def test_words_are_those_of_the_library(engine: PageEngine) -> None:
    shares = [0, 1e-5, 0.0004, 0.0625, 1 / 3, 0.375, 2 / 3, 0.99999, 1]
    assert engine.value(f"{shares}.map(words.percent)") == [numbers.percent(share) for share in shares]
    waves = [1, 2.5, 25 / 3, 1057 / 1056, 0.99999]
    assert engine.value(f"{waves}.map((each) => words.decimal(each))") == [*map(numbers.decimal, waves)]
    sizes = [0, 1, 1000, 1001, 1024, 1152, 9344, 98304, 232448, 1 << 20]
    assert engine.value(f"{sizes}.map(words.size)") == [numbers.size(size) for size in sizes]
    counts = [0, 1, 12, 1536, 1234567]
    counted = engine.value(f'{counts}.map((each) => words.count(each, "block"))')
    assert counted == [numbers.count(each, "block") for each in counts]


def test_limits_are_those_of_the_table(engine: PageEngine) -> None:
    for limits, found in zip(map(shipped.limits, shipped.known()), engine.value("LIMITS"), strict=True):
        column, cc = limits.spreadsheet and limits.spreadsheet._asdict(), str(limits.compute_capability)
        expected = json.loads(json.dumps({**asdict(limits), "spreadsheet": column, "compute_capability": cc}))
        assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("cc", CCS)
@sampled("count", sample=5, thorough=20)
def test_a_curve_is_the_answer_at_every_value(engine: PageEngine, cc: str, count: int) -> None:
    """Compare values up to above the maximum of the GPU."""
    points, wrong = engine.call("curvesOf", random_questions(cc, count, seed=3))
    assert points > 250 * count
    assert wrong == []


@pytest.mark.parametrize("bound", [96, 512, 1024])
def test_register_caps_keep_the_launch_bound(engine: PageEngine, bound: int) -> None:
    """Compare caps of a kernel that was compiled for more threads than it is launched with."""
    gpu = find_gpu("9.0")
    for step in next_steps(result := Result(gpu.limits, Kernel(96, 168, max_threads=bound))):
        if (regs := step.requires.get("regs")) is None:
            continue
        cap = register_cap(result, regs, step.active_blocks)
        values = f'evaluate(limitsOf("9.0", "{bound}"), kernelOf({{threads: 96, regs: 168}}))'
        assert cap is not None
        assert engine.value(f"registerCap({values}, {regs}, {step.active_blocks})") == cap._asdict()
        if found := re.fullmatch(rf"__launch_bounds__\({bound}, (\d+)\)", cap.launch_bounds or ""):
            assert launch_bounds(gpu, result.kernel, int(found[1])).register_cap == regs


@sampled("count", sample=60, thorough=1500)
def test_waves(engine: PageEngine, count: int) -> None:
    chance = random.Random(count)
    for _ in range(count):
        cc = chance.choice(["7.0", "9.0", "12.0"])
        kernel = Kernel(32 * chance.randint(1, 32), chance.randint(0, 255), smem=chance.randrange(60_000))
        sms, grid = chance.randint(1, 200), chance.randint(1, 20_000)
        size = chance.choice([None, 1, 2, 4, 8]) if cc != "7.0" else None
        clustered = kernel.replace(cluster=size)
        wave = full_wave(Result(shipped.limits(cc), clustered), sms)
        values = json.dumps(kernel.to_dict())
        text = f'fullWave(evaluate(limitsOf("{cc}"), {values}), {sms}, {json.dumps(size)})'
        found = engine.value(text)
        assert found.pop("cluster_size") == size
        assert found == {name: getattr(wave, name) for name in found}
        if not wave.blocks:
            continue
        blocks = grid * (size or 1)
        waves = WavesFields(Launch(clustered, (blocks, 1, 1)), wave)
        found = engine.value(f"countWaves({blocks}, {text})")
        assert found == {name: getattr(waves, name) for name in found}


TYPED = {
    "threads": "256|16x16|16X16|16×16|16*16|(16, 16)|(256)|16,16|1,024|1_024|0x20|0|1025|1.5|-3|16x|8x8x8x1",
    "regs": "0|255|64.0|0x40|-1|abc",
    "dynamic-smem": "32k|32KB|32 kib|27.5k|0.3k|3*8k+1|2×|1m|228k|300k|1,024|1.5|0x400|10 bytes|.5k|5.k|1e3|2147483648",
    "carveout": "50|50 %|100|101|0|max|auto|AUTO|64k|65536|101k|100%|-1|50.5", "barriers": "0|1|16|17|x",
    "virtual-resources": "0|1|128|129|300", "tensor-memory": "32|33|64|512|513|544|608|0|99999|x",
    "shared-memory-mode": "oversized|x", "caching": "ca|cg|x",
}  # fmt: skip


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("cc", ["5.2", "9.0", "10.0", "10.7"])
def test_what_is_typed_is_read_as_by_the_library(engine: PageEngine, cc: str, name: str) -> None:
    """Compare results or errors; the page does not offer inputs that the GPU lacks."""
    found: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    if not engine.value(f"isOffered(DATA.inputs.find((each) => each.name === '{name}'), limitsOf('{cc}'))"):
        return
    for text in TYPED[name].split("|"):
        fields: dict[str, Any] = {"threads": "256", "regs": "64", name: text}
        found[text] = engine.value(
            f"(({{ result }}) => result && [result.active_blocks, result.occupancy])"
            f"(readLaunch({json.dumps({'gpu': cc, **fields})}))"
        )
        try:
            answer = occupancy.compute(cc, **{key.replace("-", "_"): each for key, each in fields.items()})
            expected[text] = [answer.active_blocks, answer.occupancy]
        except occupancy.InputError:
            expected[text] = None
    assert found == expected


def test_a_grid_is_a_number_or_a_shape(engine: PageEngine) -> None:
    given = ["100,200", "1,000", "16x16"]
    read = f"{json.dumps(given)}.map((grid) => readLaunch({{ gpu: '9.0', threads: '256', grid }}).errors.grid ?? '')"
    assert engine.value(read) == ["Write a shape as 16x16.", "", ""]


def test_gpus_are_found_as_by_the_command_line(engine: PageEngine) -> None:
    """Search by full names, parts of names, and other common spellings."""
    parts = [each.label.split() for each in all_gpus()]
    texts = sorted({" ".join(words[a:b]) for words in parts for b in range(len(words) + 1) for a in range(b)})
    texts = [*NAMED.split("|"), *texts[::5]]
    found = engine.value(f"{json.dumps(texts)}.map(findGpu).map(({{ cc, sms }}) => [cc, sms])")
    expected = []
    for text in texts:
        try:
            gpu = find_gpu(text)
            expected.append([gpu.cc, gpu.multiprocessor_count])
        except (occupancy.InputError, occupancy.UnknownComputeCapabilityError):
            expected.append([None, None])
    assert [each for each in zip(texts, found, expected, strict=True) if each[1] != each[2]] == []


NAMED = (
    "A100|rtx4090|RTX4090|Thor|DGX Spark|sm_90|sm_90a|hopper|H100 PCIe|9.0|90|980|volta|Blackwell|RTX|4090|A10|"
    "h100-sxm|Tesla V100-SXM2-16GB|120|nothing|compute_120"
)


def test_the_command_has_the_gpu_as_it_was_entered(engine: PageEngine) -> None:
    options = {
        "H100": "--gpu H100",
        "h100 sxm": "--gpu 'h100 sxm'",
        "hopper": "--cc 9.0",
        "sm_90a": "--cc 9.0",
    }
    for gpu, option in options.items():
        command = engine.value(f"toCommand(readLaunch({json.dumps({'gpu': gpu, 'threads': '256'})}))")
        assert command == f"occupancy calc {option} --threads 256"


@pytest.mark.parametrize("file", ["ptxas_v.txt", "res_usage.txt", "ncu_details.csv", "ncu_raw.csv"])
def test_pasted_kernels_are_those_of_a_scan(engine: PageEngine, file: str) -> None:
    path = KERNELS / file
    found = engine.value(
        f"readPasted({json.dumps(path.read_text(encoding='utf-8'))}).map(({{ name, fields }}) =>"
        " [name.split('(')[0].replace(/^void /, ''), Number(fields.regs), Number(fields['static-smem'])])"
    )
    assert sorted(map(tuple, found)) == sorted(
        ((each.demangled or each.name).split("(")[0].removeprefix("void "), each.regs, each.static_smem)
        for each in occupancy.scan(path)
    )


def test_shared_memory_of_a_wrapped_line_is_left_blank(engine: PageEngine) -> None:
    text = "Compiling entry function 'k' for 'sm_90'\nUsed 8 registers, used 1 barriers, 25\n6 bytes smem"
    assert engine.value(f"readPasted({json.dumps(text)})[0].fields['static-smem']") == ""
    assert engine.value("['8,19', '1,024', '2.05'].map((text) => amountIn([text]))") == ["", "1024", "2"]


def test_pasted_json_of_calc_has_its_inputs(engine: PageEngine) -> None:
    command = "calc --cc 9.0 -t 16x16 --smem 20k --carveout 50 --no-opt-in --format json"
    (found,) = engine.value(f"readPasted({json.dumps(run(*command.split()).stdout)})")
    fields = {"threads": "16x16x1", "dynamic-smem": "20480", "carveout": "50%", "opt-in": "no"}
    assert (found["arch"], found["fields"]) == ("9.0", fields)
    assert engine.value('readPasted(\'{"kernels": [{"demangled": {"toString": 1}}]}\')') == []


def test_size() -> None:
    assert len(build_page("0.1.0").encode()) < 220_000


AS_TYPED = {
    "gpu": "9.0|A100|rtx4090|sm_75|10.0|5.2|2.0", "threads": "256|16x16|(32, 8)|1,024",
    "dynamic-smem": "|8 KiB|27.5k|40000", "static-smem": "|1k", "barriers": "|3", "carveout": "|50%|max",
    "opt-in": "|yes|no", "bounds": "|1024|512, 2",
}  # fmt: skip


def inputs(chance: random.Random) -> dict[str, str]:
    """Generate texts of fields as users type them."""
    grid = chance.choice([{}, {"sms": "20", "grid": "64x8"}, {"sms": "132", "grid": "1000"}])
    fields = {name: chance.choice(texts.split("|")) for name, texts in AS_TYPED.items()}
    return {**fields, "regs": str(chance.randint(1, 128)), **grid}


@sampled("count", sample=25, thorough=350)
def test_copied_commands_and_python_have_the_same_result(engine: PageEngine, count: int) -> None:
    chance = random.Random(count)
    for _ in range(count):
        fields = json.dumps(inputs(chance))
        blocks, waves, command, python = engine.value(
            "((launch) => [launch.result?.active_blocks ?? null, launch.waves?.waves ?? null, "
            f"toCommand(launch), toPython(launch)])(readLaunch({fields}))"
        )
        _, *words = shlex.split(command)
        done = as_json(*words)["gpus"][0]
        assert (done["active_blocks"], (done["waves"] or {}).get("waves")) == (blocks, waves), command
        shown: list[Any] = []
        exec(python, {"print": shown.append})
        assert [each.active_blocks for each in shown if hasattr(each, "active_blocks")] == [blocks], python
        counted = [each.waves for each in shown if not hasattr(each, "active_blocks")]
        assert counted == ([] if waves is None else [waves])
