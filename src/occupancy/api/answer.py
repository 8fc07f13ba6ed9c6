"""The answer to how many blocks of a kernel fit, which answers the other questions about the kernel too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from .. import engine
from ..errors import UnknownComputeCapabilityError
from ..tables import shipped
from ..tables.gpus import Gpu, find_gpus
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.spellings import parse_count, parse_share, parse_size
from .arguments import ComputeCapabilityLike, CountLike, ShapeLike, SizeLike
from .chips import multiprocessors

if TYPE_CHECKING:
    from ..report.block_sizes import BlockSizesReport

SizeOfBlock = SizeLike | Callable[[int], int] | None
"""Bytes of dynamic shared memory per block, or a function from threads per block to them."""


class Occupancy(engine.Answer):
    """How many blocks of a kernel can be resident on one SM at once, and what stops one more.

    It prints itself as the command line does, and answers the other questions about the same kernel.
    """

    __slots__ = ("_chip", "_compiled_for")

    _chip: Gpu
    """Unset where nothing but the limits was given: making one would take time in each `compute`."""
    _compiled_for: int | None
    """The most threads per block that the kernel was compiled for, which then are the limits' most; unset
    where nobody read that from a file."""

    @classmethod
    def on(cls, chip: Gpu, kernel: Kernel, model: engine.Model | None = None) -> Occupancy:
        """The answer for a chip that was named."""
        answer = cls(chip.limits, kernel, model)
        answer._chip = chip
        return answer

    @property
    def chip(self) -> Gpu:
        """The chip that was named, with its name and its SMs where it is a product."""
        return getattr(self, "_chip", None) or Gpu(self.limits)

    @property
    def opt_ins(self) -> tuple[occupancy.OptIn, ...]:
        """The calls that a launch without clusters needs before it."""
        from ..advice.opt_in import opt_ins

        return opt_ins(self, None)

    def next_steps(self) -> occupancy.Answers[occupancy.NextStep]:
        """What to change for a higher occupancy: see `occupancy.next_steps`."""
        from ..advice.next_steps import next_steps
        from ..report.next_steps import next_steps_report
        from .answers import Answers

        steps = tuple(next_steps(self))
        return Answers(steps, next_steps_report(self, steps), "next_steps")

    def slack(self) -> occupancy.Slack:
        """How far each resource may grow before a block is lost, and what is left of the SM."""
        from ..advice.slack import slack

        return slack(self)

    def carveout(self) -> occupancy.CarveoutAdvice:
        """What each size of the SM's shared memory gives, and the smallest with as many blocks."""
        from ..advice.carveout import carveout

        return carveout(self)

    def budget(
        self,
        *,
        occupancy: float | str | None = None,
        blocks: int | str | None = None,
    ) -> occupancy.BudgetReport:
        """The most registers and shared memory with which an occupancy is reached.

        Args:
            occupancy: A share of 1, or a percentage: ``0.75``, ``75``, ``"75%"``.
            blocks: Resident blocks, instead of the occupancy. Without either, only the levels are the answer.

        Raises:
            InputError: Both were given, or more than a block of this size can reach.
        """
        from ..advice.budget import budget
        from ..report.budget import budget_report

        share = None if occupancy is None else parse_share(occupancy, "occupancy")
        count = None if blocks is None else parse_count(blocks, "blocks")
        answer = budget(self.chip, self.kernel, occupancy=share, blocks=count, model=self.model)
        return budget_report(self.chip, self, answer)

    def launch_bounds(self, *, min_blocks: int | str | None = None) -> occupancy.LaunchBounds:
        """What the compiler makes of ``__launch_bounds__(threads, min_blocks)``.

        Args:
            min_blocks: Blocks that are to be resident on an SM; by default one, which is no bound.

        Raises:
            InputError: A number of blocks that is out of range, or a chip that the compilers do not know.
        """
        from ..advice.launch_bounds import launch_bounds

        count = None if min_blocks is None else parse_count(min_blocks, "min_blocks")
        return launch_bounds(self.chip, self.kernel, count, self.model)

    def block_sizes(self, *, dynamic_smem: SizeOfBlock = None) -> occupancy.Answers[occupancy.BlockSize]:
        """Every block size with its occupancy, best first.

        Args:
            dynamic_smem: Other dynamic shared memory than now: bytes, or a function from threads per block
                to bytes.

        Raises:
            InputError: The function gives no size, or the total was given as well.
        """
        from .answers import Answers

        of_size, kernel = None, self.kernel
        if callable(dynamic_smem):
            of_size = dynamic_smem
        elif dynamic_smem is not None:
            kernel = replace(kernel, dynamic_smem=parse_size(dynamic_smem, "dynamic_smem"))
        report = block_sizes_of(Occupancy.on(self.chip, kernel, self.model), of_size)
        return Answers(report.block_sizes, report, "block_sizes")

    def fits(
        self, ccs: Iterable[ComputeCapabilityLike] | None = None, *, cluster: ShapeLike | None = None
    ) -> occupancy.Answers[occupancy.Fit]:
        """Whether the kernel runs on each of some chips.

        Args:
            ccs: Chips, each as in `compute`, or all of an architecture; by default all of the table.
            cluster: Blocks per cluster, or the cluster's shape; a chip without such clusters does not run it.

        Raises:
            InputError: Not a compute capability, or there are none.
            UnknownComputeCapabilityError: A compute capability that the table does not hold.
        """
        return fits_of(self.kernel, None if ccs is None else find_gpus(ccs), cluster=cluster)

    def waves(
        self,
        grid: ShapeLike,
        *,
        multiprocessor_count: CountLike | None = None,
        cluster: ShapeLike | None = None,
        max_active_clusters: CountLike | None = None,
    ) -> occupancy.Waves:
        """How a grid of the kernel runs on a whole GPU: in how many waves, and how full the last one is.

        Args:
            grid: Blocks, or the grid's shape, such as ``(128, 32)``.
            multiprocessor_count: SMs of the GPU; not needed where the answer is for a product.
            cluster: Blocks per cluster, or the cluster's shape; only from 9.0.
            max_active_clusters: The clusters that are resident at once, where a live device reports them: 0
                and up to as many as its SMs have places for. Else the blocks of a wave are an upper bound.

        Raises:
            InputError: A number that is missing or out of range, a grid that its clusters do not divide,
                clusters on a chip that has none, or a kernel that does not launch.
        """
        from ..advice.waves import count_waves
        from .waves import launch_and_wave

        held = (
            None if max_active_clusters is None else parse_count(max_active_clusters, "max_active_clusters")
        )
        sms = multiprocessors(self.chip, multiprocessor_count)
        return count_waves(*launch_and_wave(self, sms, grid, cluster, held))

    def plot(self) -> list[Any]:
        """Draw how the occupancy changes with the block size, the registers and the shared memory.

        Returns:
            matplotlib's ``Axes`` of the three curves, in a new figure.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        from ..render.pictures import plot
        from ..report.curves import curves_picture, curves_report

        return plot(curves_picture([curves_report(self, self.chip.name)]))

    def explain(self) -> occupancy.Answers[occupancy.Explanation]:
        """Every step of the arithmetic, resource by resource."""
        from ..report.calc.explain import explain
        from ..report.calc.explanation import explanation_report
        from .answers import Answers

        steps = explain(self)
        return Answers(steps, explanation_report(self, steps), "explanation")

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """The answer as plain dictionaries and numbers, the same as the command line's JSON.

        Args:
            explain: Whether to add every step of the arithmetic.
        """
        return self.report(explain=explain).to_dict()

    def report(
        self,
        *,
        explain: bool = False,
        whole: occupancy.WholeGpu | None = None,
        split: occupancy.RegisterSplit | None = None,
    ) -> occupancy.CalcReport:
        """Everything that is shown of the answer, as plain values.

        Args:
            explain: Whether to add every step of the arithmetic.
            whole: The whole GPU; by default as far as the chip tells it.
            split: How warpgroups divide the registers, where they do.
        """
        from ..report.calc.report import calc_report

        if whole is None:
            from .waves import whole_gpu

            whole = whole_gpu(self.chip, self)
        steps = tuple(self.explain()) if explain else None
        row = _table_row(self.limits)
        bound = getattr(self, "_compiled_for", None)
        return calc_report(
            self, table_limits=row, explanation=steps, whole=whole, split=split, compiled_for=bound
        )

    def __str__(self) -> str:
        """The text that ``occupancy calc`` prints, without colour, with arguments for its options."""
        return str(self.report())

    def _repr_html_(self) -> str:
        """The answer as an HTML table, for a notebook."""
        return self.report()._repr_html_()


def block_sizes_of(
    about: Occupancy, of_size: Callable[[int], int] | None, smem_per_thread: int | None = None
) -> BlockSizesReport:
    """The block sizes, best first, with what the runtime answers where the SMs of the GPU are known.

    Args:
        about: The answer for the kernel with any block size.
        of_size: How many bytes of dynamic shared memory a block of so many threads uses, where that depends
            on the size.
        smem_per_thread: The bytes that each thread adds, where that is how.

    Raises:
        InputError: The function gives no size in bytes, or the total was given as well.
    """
    from ..advice.block_sizes import block_sizes
    from ..advice.runtime import max_potential_block_size
    from ..report.block_sizes import block_sizes_report

    chip, launch = about.chip, None
    if chip.multiprocessor_count is not None and about.model == "cuda":
        launch = max_potential_block_size(about.limits, about.kernel, chip.multiprocessor_count, of_size)
    sizes = block_sizes(about.limits, about.kernel, of_size, about.model)
    return block_sizes_report(about, sizes, smem_per_thread, chip.name, launch)


def fits_of(
    kernel: Kernel,
    chips: Sequence[Gpu] | None,
    model: engine.Model | None = None,
    *,
    cluster: ShapeLike | None = None,
) -> occupancy.Answers[occupancy.Fit]:
    """Whether a kernel runs on each of some chips: see `Occupancy.fits`."""
    from ..advice.portability import fits
    from ..report.fits import fits_report
    from .answers import Answers
    from .waves import cluster_size_of

    if chips is None:
        chips = [Gpu(shipped.limits(cc)) for cc in shipped.known()]
    size = cluster_size_of(cluster)
    found = fits([chip.limits for chip in chips], kernel, model, cluster_size=size)
    return Answers(found, fits_report(kernel, found, chips, model, size), "chips")


def _table_row(sm: Limits) -> Limits | None:
    try:
        return shipped.limits(sm.compute_capability)
    except UnknownComputeCapabilityError:
        return None
