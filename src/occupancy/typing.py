"""Types of arguments and results for annotations, in addition to those in `occupancy`."""

from .advice.block_sizes import BlockSize
from .advice.budget import BudgetLevel
from .advice.next_steps import Changes, NextStep
from .advice.runtime import LaunchConfiguration
from .advice.slack import SharedMemorySize
from .advice.waves import FullWave
from .api.gpus import Fit, RegisterSplit
from .api.occupancy import GpuLike, GpuList, KernelLike
from .api.results import Budget, Budgets, CarveoutAdvice, LaunchBounds, Results, Slack, Waves
from .api.scan import ReadingOptions, SelectionOptions
from .api.tuning import Needs
from .compare.baseline import Build
from .compare.check import BrokenKernel, Violation
from .compare.diff import Change, DiffRow, Fix, Verdict
from .compare.rules import RuleEntry, Rules
from .engine import LaunchFailure, Model, Use
from .errors import Place
from .readers.reading import KernelStream
from .readers.record import ReadProblem, Spills
from .report.explain import Explanation
from .report.model import Column, Report
from .report.scan import ScanSummary
from .tables.gpus import Architecture
from .tables.sources import Provenance
from .values.fields import KernelChanges, KernelInputs
from .values.limits import SpreadsheetColumn
from .values.resources import Resource

__all__ = [
    "Architecture", "BlockSize", "BrokenKernel", "Budget", "BudgetLevel", "Budgets", "Build", "CarveoutAdvice",
    "Change", "Changes", "Column", "DiffRow", "Explanation", "Fit", "Fix", "FullWave", "GpuLike", "GpuList",
    "KernelChanges", "KernelInputs", "KernelLike", "KernelStream", "LaunchBounds", "LaunchConfiguration",
    "LaunchFailure", "Model", "Needs", "NextStep", "Place", "Provenance", "ReadProblem", "ReadingOptions",
    "RegisterSplit", "Report", "Resource", "Results", "RuleEntry", "Rules", "ScanSummary", "SelectionOptions",
    "SharedMemorySize", "Slack", "Spills", "SpreadsheetColumn", "Use", "Verdict", "Violation", "Waves",
]  # fmt: skip
