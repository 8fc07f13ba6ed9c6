"""The page's engine, run by V8 inside this process, and our own answers in the form of its own."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from py_mini_racer import MiniRacer

from occupancy.advice.carveout import carveout
from occupancy.advice.launch_bounds import register_cap
from occupancy.advice.next_steps import may_be_divided, next_steps
from occupancy.advice.slack import slack
from occupancy.advice.tensor_memory import tensor_memory
from occupancy.engine import MODELS, Model, evaluate
from occupancy.errors import InputError
from occupancy.page.build import START, page_script
from occupancy.page.data import page_data
from occupancy.report.calc.explain import explain
from occupancy.report.calc.notes import notes_on
from occupancy.report.calc.tensor_memory import limited_by, steps_of_state
from occupancy.tables import shipped
from occupancy.values.kernel import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD, Carveout, Kernel
from occupancy.values.limits import Limits
from occupancy.values.listed import plain

# What the tests call. Answers go through JSON, in which classes of the page become objects.
ENTRANCES = """
function kernelOf(values) {
  const carveout = values.carveout && new Carveout(values.carveout.amount, values.carveout.unit);
  return made(Kernel, { ...values, carveout });
}
function answersTo(text) {
  return JSON.stringify(JSON.parse(text).map(([cc, model, values]) => {
    const limits = chipOf(cc);
    const kernel = kernelOf(values);
    try {
      const answer = evaluate(limits, kernel, model);
      return {
        block_limits: { ...answer.block_limits },
        allocated: { ...answer.allocated },
        active_blocks: answer.active_blocks,
        active_warps: answer.active_warps,
        active_threads: answer.active_threads,
        occupancy: answer.occupancy,
        by_threads: answer.occupancy_by_threads,
        limiters: answer.limiters,
        reason: answer.reason,
        uses: answer.uses,
        next_steps: [...nextSteps(answer)],
        caps: [...nextSteps(answer)].map((step) => {
          const { regs } = step.requires;
          return regs === undefined ? null : registerCap([answer], regs, step.active_blocks);
        }),
        divided: mayBeDivided(answer),
        steps_of_state: { ...stepsOfState(answer, [...nextSteps(answer)], tensorMemory(answer)) },
        limited_by: limitedBy(answer, kernel, tensorMemory(answer)),
        slack: slack(answer),
        carveout: carveoutAdvice(answer),
        explanation: explain(answer),
        notes: notesOn(answer),
      };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { error: [error.problem, error.where, error.allowed, error.hint] };
    }
  }));
}
// How many points were looked at, and those where a curve is not the answer.
function curvesOf(text) {
  let points = 0;
  const wrong = [];
  for (const [cc, model, values] of JSON.parse(text)) {
    const question = { limits: chipOf(cc), kernel: kernelOf(values), model };
    try {
      evaluate(question.limits, question.kernel, model);
    } catch {
      continue; // the page draws nothing of a question without an answer
    }
    for (const [name, step] of [["threads", 32], ["regs", 1], ["smem", 32]]) {
      const runs = curveOf(question, name);
      const at = altering(question.kernel, name);
      const end = runs[runs.length - 1].last;
      for (let value = { threads: 32, regs: 1, smem: 0 }[name]; value <= end; value += step) {
        const run = runAt(runs, value);
        const answer = evaluate(question.limits, at(value), model);
        points += 1;
        const { active_blocks: blocks, active_warps: warps, occupancy: share } = answer;
        const differs = run.blocks !== blocks || run.warps !== warps || run.share !== share;
        if (run.first > value || differs) wrong.push([values, name, value, run]);
      }
    }
  }
  return JSON.stringify([points, wrong.slice(0, 3)]);
}
let lastGrid;
// Blocks, and the limiters as bits, of every combination; blocks and bits turn by turn.
function gridOf(text) {
  const { cc, model, threads, registers, sizes } = JSON.parse(text);
  const limits = chipOf(cc);
  const rules = MODELS[model];
  const kernel = kernelOf({ threads: 1, regs: 0, smem: 0 });
  const found = new Uint8Array(2 * threads.length * registers.length * sizes.length);
  let at = 0;
  for (kernel.threads of threads) for (kernel.regs of registers) for (kernel.smem of sizes) {
    const allowed = rules.evaluate(limits, kernel)[0];
    const blocks = allowed.smallest();
    let bits = 0;
    const parts = allowed.parts;
    for (let index = 0; index < parts.length; index++) if (parts[index] === blocks) bits |= 1 << index;
    found[at++] = blocks;
    found[at++] = bits;
  }
  // Python gets its bytes by their address, and mini-racer does not keep them: nothing else would.
  lastGrid = found.buffer;
  return lastGrid;
}
"""


def script() -> str:
    """The page's script without the page: it reads its data from a constant and draws nothing."""
    data = json.dumps(page_data("of a test"))
    return (
        page_script()
        .replace('document.getElementById("data").textContent', json.dumps(data))
        .removesuffix(START)
    ) + ENTRANCES


class PageEngine:
    """The functions of a page's script."""

    def __init__(self, text: str | None = None) -> None:
        self._context = MiniRacer()
        self._context.eval(script() if text is None else text)

    def answers(self, questions: Sequence[Question]) -> list[Any]:
        """The answer to each question: what `own_answer` gives."""
        return self._asked("answersTo", questions)

    def curves(self, questions: Sequence[Question]) -> list[Any]:
        """How many points of the curves of each question were looked at, and some that are wrong."""
        return self._asked("curvesOf", questions)

    def _asked(self, entrance: str, questions: Sequence[Question]) -> list[Any]:
        values = [[cc, model, plain(kernel)] for cc, model, kernel in questions]
        found: list[Any] = json.loads(self._context.call(entrance, json.dumps(values)))
        return found

    def grid(
        self, cc: str, model: Model, threads: Sequence[int], registers: Sequence[int], sizes: Sequence[int]
    ) -> bytes:
        """Blocks and limiters' bits of every combination, one byte each, turn by turn."""
        question = {"cc": cc, "model": model, "threads": threads, "registers": registers, "sizes": sizes}
        text = json.dumps({name: _listed(value) for name, value in question.items()})
        found: Any = self._context.eval(f"gridOf({json.dumps(text)})")
        return bytes(found)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript comes to."""
        return json.loads(str(self._context.eval(f"JSON.stringify({expression})")))


def _listed(value: object) -> object:
    return value if isinstance(value, str) else list(value)  # type: ignore[call-overload]


class Question(NamedTuple):
    """A chip of the table, a model that knows it, and a kernel."""

    cc: str
    model: Model
    kernel: Kernel


def own_answer(question: Question) -> Any:
    """What the library says, as JSON would hold it."""
    cc, model, kernel = question
    limits = shipped.limits(cc)
    try:
        answer = evaluate(limits, kernel, model)
        steps = tuple(next_steps(answer))
        columns = tensor_memory(answer)
        state = steps_of_state(answer, steps, columns)
        registers = [(step.requires.get("regs"), step.active_blocks) for step in steps]
        caps = [None if regs is None else register_cap([answer], regs, most) for regs, most in registers]
        found = {
            "block_limits": answer.block_limits._asdict(),
            "allocated": answer.allocated._asdict(),
            "active_blocks": answer.active_blocks,
            "active_warps": answer.active_warps,
            "active_threads": answer.active_threads,
            "occupancy": answer.occupancy,
            "by_threads": answer.occupancy_by_threads,
            "limiters": answer.limiters,
            "reason": answer.reason,
            "uses": {name: use._asdict() for name, use in answer.uses.items()},
            "next_steps": [plain(step) for step in steps],
            "caps": [plain(cap) for cap in caps],
            "divided": may_be_divided(answer),
            "steps_of_state": {
                **state._asdict(),
                "at_once": [plain(step) for step in state.at_once],
                "levels": [plain(step) for step in state.levels],
            },
            "limited_by": limited_by(answer, kernel, columns),
            "slack": plain(slack(answer)),
            "carveout": plain(carveout(answer)),
            "explanation": [plain(each) for each in explain(answer)],
            "notes": notes_on(answer),
        }
    except InputError as error:
        found = {"error": [error.problem, error.where, error.allowed, error.hint]}
    return json.loads(json.dumps(found))


def models_of(limits: Limits) -> list[Model]:
    """The models that know a chip."""
    return [name for name, rules in MODELS.items() if rules.supports(limits)]


def random_questions(cc: str, model: Model, count: int, seed: int) -> list[Question]:
    """Kernels of all kinds: what is not given, what does not fit, what the chip does not offer."""
    chance = random.Random(f"{cc} {model} {seed}")
    return [Question(cc, model, _random_kernel(chance, shipped.limits(cc))) for _ in range(count)]


def _random_kernel(chance: random.Random, limits: Limits) -> Kernel:
    def size() -> int | None:
        most = limits.max_shared_memory_per_multiprocessor
        unit = limits.shared_memory_allocation_unit
        edge = most // chance.randrange(1, 40) // unit * unit - limits.reserved_shared_memory_per_block
        return chance.choice(
            [
                None,
                0,
                chance.randrange(most + 4000),
                chance.randrange(3000),
                max(0, edge + chance.randrange(3)),
            ]
        )

    threads = chance.choice(
        [chance.randrange(1, 1100), 32 * chance.randrange(1, 33), chance.choice([64, 128, 256])]
    )
    shape = None
    if chance.random() < 0.15:
        shape = (chance.choice([1, 8, 16, 70]), chance.choice([1, 4, 8]), chance.choice([1, 2, 65]))
        threads = shape[0] * shape[1] * shape[2]
    parts: dict[str, Any] = {"smem": size()}
    if chance.random() < 0.7:
        parts = {"static_smem": size(), "dynamic_smem": size()}
    carveout = None
    if chance.random() < 0.35:
        configurations = [*limits.shared_memory_configurations, 1000]
        carveout = chance.choice(
            [Carveout(chance.randrange(101), "percent"), Carveout(chance.choice(configurations), "bytes")]
        )
    modern: dict[str, Any] = {}
    if chance.random() < 0.3:
        most = limits.tensor_memory_per_multiprocessor
        modern = {
            "virtual_resources": chance.choice([None, 0, chance.randrange(256), 128]),
            "tensor_memory": chance.randrange(1, most + 9) if most and chance.random() < 0.5 else None,
            "shared_memory_mode": chance.choice([None, "oversized"])
            if limits.max_oversized_shared_memory_per_block or chance.random() < 0.02
            else None,
            "reallocates_registers": chance.random() < 0.3,
            "spill_smem": chance.choice([None, 0, 512]),
        }
    return Kernel(
        threads=threads,
        regs=chance.choice([None, 0, chance.randrange(MAX_REGISTERS_PER_THREAD + 1)]),
        barriers=chance.choice([None, chance.randrange(MAX_BARRIERS_PER_BLOCK + 1)]),
        block_dim=shape,
        carveout=carveout,
        caching=chance.choice([None, "ca", "cg"])
        if limits.partitioned_global_caching or chance.random() < 0.02
        else None,
        opt_in=chance.choice([None, True, False]),
        **parts,
        **modern,
    )
