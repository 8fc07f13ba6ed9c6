"""Types of arguments and results, for annotations; those that `occupancy` itself lacks."""

from __future__ import annotations

from .advice.block_sizes import BlockSize
from .advice.budget import Budget, BudgetLevel
from .advice.carveout import CarveoutAdvice, SharedMemorySize
from .advice.launch_bounds import LaunchBounds
from .advice.next_steps import NextStep
from .advice.registers import RegisterSplit
from .advice.slack import Slack
from .advice.waves import FullWave, Waves
from .api.fits import Fit
from .api.occupancy import DynamicSmem, GpuLike, KernelLike
from .api.scan import Found
from .builds.rows import SizedResult
from .compare.baseline import Build
from .compare.check import BrokenKernel, ExemptKernel, Violation
from .compare.diff import DiffRow
from .compare.rules import Rules
from .engine import LaunchFailure, Result
from .engine.parts import Model, Use
from .readers import KernelStream, ReadProblem
from .readers.record import Spills
from .report.explain import Explanation
from .report.model import Column, Report
from .tables.sources import Provenance
from .values.fields import KernelInputs
from .values.limits import SpreadsheetColumn
from .values.resources import Resource

__all__ = [
    "BlockSize",
    "BrokenKernel",
    "Budget",
    "BudgetLevel",
    "Build",
    "CarveoutAdvice",
    "Column",
    "DiffRow",
    "DynamicSmem",
    "ExemptKernel",
    "Explanation",
    "Fit",
    "Found",
    "FullWave",
    "GpuLike",
    "KernelInputs",
    "KernelLike",
    "KernelStream",
    "LaunchBounds",
    "LaunchFailure",
    "Model",
    "NextStep",
    "Provenance",
    "ReadProblem",
    "RegisterSplit",
    "Report",
    "Resource",
    "Result",
    "Rules",
    "SharedMemorySize",
    "SizedResult",
    "Slack",
    "Spills",
    "SpreadsheetColumn",
    "Use",
    "Violation",
    "Waves",
]
