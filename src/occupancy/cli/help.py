"""Help that fits on a screen: the commonest options first, in groups; ``--help-all`` has everything."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import click

from . import Context

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

Group = Literal["chip", "kernel", "launch", "output"]
GROUPS: tuple[Group, ...] = ("chip", "kernel", "launch", "output")

MOST_LINES = 25
"""Of the first page of help."""
NAMES_WIDTH = 28

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Between an option and what it takes, as long as lines are filled."""


class Option(click.Option):
    """An option that belongs to a group.

    Args:
        group: What it is about.
        is_common: Whether it stands on the first page of help.
    """

    def __init__(
        self, *declarations: Any, group: Group = "output", is_common: bool = False, **how: Any
    ) -> None:
        super().__init__(*declarations, **how)
        self.group = group
        self.is_common = is_common

    @property
    def _takes_one(self) -> bool:
        return not (self.multiple or self.is_flag or self.count) and self.nargs == 1

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """As click does, but all that is typed is kept: click takes the last of several in silence."""
        if self._takes_one:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=1)
        else:
            super().add_to_parser(parser, ctx)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """As click does, of the one value.

        Raises:
            BadParameter: Several were typed.
        """
        typed = opts.get(self.name or "")
        if self._takes_one and isinstance(typed, list):
            if len(typed) > 1:
                raise click.BadParameter(f"is given {len(typed)} times, and takes one value.", ctx, self)
            opts = {**opts, self.name or "": typed[0]}
        return super().consume_value(ctx, opts)

    def in_short(self, context: click.Context) -> tuple[str, str]:
        """Its name and its meaning on the first page: without further names.

        Of a pair as ``--opt-in/--no-opt-in`` it is the second name, because the first is what is assumed.
        """
        names, text = self.get_help_record(context) or ("", "")
        short = [name for name in self.opts if not name.startswith("--")][:1]
        long = [name for name in self.secondary_opts or self.opts if name.startswith("--")][:1]
        metavar = "" if self.is_flag else names.rpartition(", ")[2].partition(" ")[2]
        return f"{', '.join([*short, *long])} {metavar}".strip(), text


def grouped_option(
    group: Group, *declarations: str, is_common: bool = False, **how: Any
) -> Callable[[Decorated], Decorated]:
    """`click.option` for an `Option`."""
    return click.option(*declarations, cls=Option, group=group, is_common=is_common, **how)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator, in the order of the help."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Command(click.Command):
    """A command whose help has two pages."""

    context_class = Context

    def __init__(self, *arguments: Any, **how: Any) -> None:
        super().__init__(*arguments, **how)
        if self._options():
            self.params.append(
                click.Option(
                    ["--help-all"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_show_all,
                    help="Show every option.",
                )
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed.

        Raises:
            UsageError: It cannot be read; says what to type instead.
        """
        typed = tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            from .mistyped import with_hint  # only an error needs it

            raise with_hint(error, ctx, typed) from error

    def _options(self) -> list[Option]:
        return [option for option in self.params if isinstance(option, Option)]

    def get_help(self, ctx: click.Context) -> str:
        """The first page, with as many of the examples as it has room for."""
        examples = self._examples()
        pages = (self._first_page(ctx, examples[:count]) for count in range(len(examples), 0, -1))
        short = (page for page in pages if page.count("\n") < MOST_LINES)
        return next(short, None) or self._first_page(ctx, examples[:1])

    def _first_page(self, ctx: click.Context, examples: Sequence[str]) -> str:
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(self._first_paragraph())
            for line in examples:
                formatter.write(f"  {line}\n")
        formatter.write_paragraph()
        shown = [option for option in self._options() if option.is_common]
        records = {option: option.in_short(ctx) for option in shown}
        room = formatter.width - min(max(len(names) for names, _ in records.values()), NAMES_WIDTH) - 6
        _write_groups(formatter, shown, lambda option: (records[option][0], _cut(records[option][1], room)))
        self._write_others(ctx, formatter)
        return formatter.getvalue().rstrip("\n")

    def help_of_all(self, ctx: click.Context) -> str:
        """The second page: the whole text and every option."""
        return super().get_help(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every option, in groups."""
        formatter.write_paragraph()
        _write_groups(formatter, self._options(), lambda option: option.get_help_record(ctx) or ("", ""))
        others = [each.get_help_record(ctx) for each in self.get_params(ctx) if not isinstance(each, Option)]
        with formatter.indentation():
            formatter.write_dl([record for record in others if record is not None])

    def _write_others(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = (each for each in self._options() if not each.is_common)
        names = [each.in_short(ctx)[0].replace(" ", NO_BREAK) for each in options]
        import textwrap  # only help needs it

        if names:
            formatter.write(f"More, with {ctx.command_path} --help-all:\n")
        width = formatter.width
        for line in textwrap.wrap(" ".join(names), width - 2, break_on_hyphens=False):
            formatter.write(f"  {line.replace(NO_BREAK, ' ')}\n")

    def _first_paragraph(self) -> str:
        return inspect.cleandoc(self.help or "").split("\n\n")[0].replace("\n", " ")

    def _examples(self) -> Sequence[str]:
        _, _, examples = inspect.cleandoc(self.help or "").partition("\b\n")
        return [line.strip() for line in examples.split("\n\n")[0].splitlines() if line.strip()]


def _cut(text: str, room: int) -> str:
    """A text without its last clauses, where it is too long for a line; a list goes as a whole."""
    while len(text) > room:
        shorter = re.sub(_LAST_CLAUSE, "", text)
        if shorter == text:
            shorter = text.rpartition(", ")[0] or text
        if shorter == text:
            break
        text = shorter if shorter.endswith((".", "?")) else f"{shorter}{'?' if text.endswith('?') else '.'}"
    return text


_LAST_CLAUSE = r" +\[.*$|(?:[;:]|(?<=[.?])) (?:(?![;:.?] ).)*$"
"""Not within what is to be typed, as 1:40,2:232."""


def _show_all(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and isinstance(context.command, Command):
        click.echo(context.command.help_of_all(context))
        context.exit()


def _write_groups(
    formatter: click.HelpFormatter,
    options: Iterable[Option],
    record: Callable[[Option], tuple[str, str]],
) -> None:
    """The options under the names of their groups, their meanings one below the other."""
    listed = list(options)
    widest = max((len(record(option)[0]) for option in listed), default=0)
    width = min(widest, NAMES_WIDTH)
    for group in GROUPS:
        rows = [record(option) for option in listed if option.group == group]
        if rows:
            formatter.write(f"{group.capitalize()}:\n")
            with formatter.indentation():
                formatter.write_dl([(names.ljust(width), text) for names, text in rows], NAMES_WIDTH)
