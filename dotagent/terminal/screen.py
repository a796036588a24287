"""The terminal: messages scroll up, and an area at the bottom contains drafts and the input line.

prompt_toolkit handles the line, keys, search and drawing. It uses the terminal while it runs, sleeps until a key or a
watched descriptor wakes it, and restores the terminal at the end. Owns nothing on disk.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import ConditionalContainer, Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.widgets import SearchToolbar, TextArea
from wcwidth import grapheme_boundary_before, iter_graphemes, wcswidth

from dotagent.terminal.appearance import DIM, PLAIN
from dotagent.text import escape

FRAME, SHARE = 0.05, 20  # seconds between two checks, and a multiple of the time that the last check took, on average
SAVED = 0.5  # seconds of these pauses that may be skipped after an idle time, so that the first checks come at once
CHOICES = 60  # words shown by Tab
ESCAPE = 0.05  # seconds for a key after Esc to belong to it; a terminal sends both at once


class Screen:
    """The input line of a person in room `name`. `entered` accepts a line or refuses it; `words` completes it for Tab;
    `unsent` gets a line that was cleared, or that was there when the terminal closed."""

    def __init__(
        self,
        past: Sequence[str],
        name: Callable[[], str],
        entered: Callable[[str], bool],
        words: Callable[[str], list[str]],
        unsent: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._unsent = unsent
        self._said, self._drafts, self._tail, self._lower, self._words = "", "", "", False, words
        self._woken: tuple[int, Callable[[], None]] | None = None
        self._pausing = self._due = False
        self._free = 0.0  # when the pauses for past checks end
        search = SearchToolbar()
        self._typed = TextArea(
            prompt=lambda: f"{name()}> ",
            history=InMemoryHistory(past),
            accept_handler=lambda line: not entered(line.text),
            search_field=search,
            input_processors=[_Harmless()],
        )
        self.line = self._typed.buffer
        drafts = FormattedTextControl(lambda: self._tail, get_cursor_position=self._end)
        above = Window(drafts, style="dim", wrap_lines=True, dont_extend_height=True, height=self._most)
        self._output = _Output.from_pty(sys.stdout, os.environ.get("TERM"))
        self._output.enable_cpr = False  # the area's position on the screen does not matter
        self._app = _Area(
            Layout(HSplit([ConditionalContainer(above, Condition(lambda: bool(self._drafts))), self._typed, search])),
            key_bindings=self._keys(),
            output=self._output,
            before_render=self._scroll,
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            erase_when_done=True,
            terminal_size_polling_interval=None,
        )
        self._app.timeoutlen = self._app.ttimeoutlen = ESCAPE

    def run(self, begin: Callable[[], None]) -> None:
        """Let the person type until `leave`. `begin` is called once the line is visible."""

        def begun() -> None:
            assert self._app.loop is not None  # it runs
            for one in (signal.SIGTERM, signal.SIGHUP):
                self._app.loop.add_signal_handler(one, self.leave)
            self._app.loop.call_soon(begin)  # after the first drawing

        try:
            self._app.run(pre_run=begun)
        finally:
            if self.line.text.strip():
                self._unsent(self.line.text)

    def leave(self, error: Exception | None = None) -> None:
        """End `run`, with this error if given."""
        if not self._lives:
            return
        if self._woken and self._app.loop is not None:
            self._app.loop.remove_reader(self._woken[0])  # it may stay readable while the area is taken down
        self._app.exit(exception=error) if error else self._app.exit()

    @property
    def _lives(self) -> bool:
        """Return whether the area exists and stays."""
        return self._app.is_running and not self._app.is_done

    def wake(self, fd: int, heard: Callable[[], None]) -> None:
        """Call `heard` whenever this descriptor is readable, replacing an earlier descriptor.

        Pauses between the calls limit the share of the processor if changes never stop. The first calls after an idle
        time have no pause.
        """
        if not self._lives:
            return
        assert self._app.loop is not None
        if self._woken:
            self._app.loop.remove_reader(self._woken[0])
        self._woken = (fd, heard)
        if not self._pausing:
            self._app.loop.add_reader(fd, self._heard)

    def _heard(self) -> None:
        loop, began = self._app.loop, time.thread_time()
        assert loop is not None and self._woken
        self._pausing = True
        loop.remove_reader(self._woken[0])
        self._woken[1]()
        if not self._lives:
            return
        self._free = until(self._free, loop.time(), time.thread_time() - began)
        loop.call_at(self._free, self._paused)

    def _paused(self) -> None:
        if not self._lives:
            return
        assert self._app.loop is not None and self._woken
        self._pausing = False
        self._app.loop.add_reader(self._woken[0], self._heard)

    def again(self, seconds: float, act: Callable[[], None]) -> None:
        """Do this after `seconds`. A pending repetition is not added twice."""

        def due() -> None:
            self._due = False
            if self._lives:
                act()

        if not self._due and self._app.loop is not None and not self._app.is_done:
            self._due = True
            self._app.loop.call_later(seconds, due)

    @property
    def columns(self) -> int:
        """Return the number of columns of a row."""
        return self._output.get_size().columns

    @property
    def cells(self) -> int:
        """Return the number of cells of the screen."""
        return self.columns * self._output.get_size().rows

    def say(self, text: str) -> None:
        """Print a line above the area."""
        self._said += text + "\n"
        self._app.invalidate()

    def draft(self, text: str) -> None:
        """Show this text above the line until it is replaced. If it is higher than the screen, only its end is
        shown."""
        text = text.replace("\t", " ")
        if text != self._drafts:
            self._lower, self._drafts = self._lower or len(text) < len(self._drafts), text
            self._app.invalidate()

    def _scroll(self, _: object) -> None:
        """Before drawing, print pending messages above the area, and erase a higher former area.

        The drafts are cut to one screen by one size, because the window may change while it is drawn.
        """
        self._tail = self._drafts[-self.cells :]
        if self._said or self._lower:
            self._app.renderer.erase()
            self._output.write_raw(self._said)
            self._said, self._lower = "", False

    def _most(self) -> Dimension:
        """Return half of the screen's height, because a narrower window doubles the rows, and the top of a higher area
        would scroll away."""
        return Dimension(max=max(2, self._output.get_size().rows // 2))

    def _end(self) -> Point:
        rows = self._tail.split("\n")
        return Point(len(rows[-1]), len(rows) - 1)

    def _keys(self) -> KeyBindings:
        """Return the keys with a different meaning here than in prompt_toolkit."""
        keys, line = KeyBindings(), self.line
        here: dict[tuple[str, ...], Callable[[], object]] = {
            ("enter",): self._enter,
            ("tab",): self._complete,
            ("escape", "enter"): lambda: line.insert_text("\n"),
            ("c-c",): self._cancel,
            ("<sigint>",): self._cancel,
            ("c-d",): lambda: line.delete(self._after()) if line.text else self.leave(),
            ("c-z",): lambda: self._app.suspend_to_background(),
            ("delete",): lambda: line.delete(self._after()),
            ("backspace",): lambda: line.delete_before_cursor(self._before()),
            ("left",): lambda: self._go(-self._before()),
            ("c-b",): lambda: self._go(-self._before()),
            ("right",): lambda: self._go(self._after()),
            ("c-f",): lambda: self._go(self._after()),
        }
        for names, act in here.items():
            keys.add(*names, filter=has_focus(line))(lambda _, act=act: act())
        keys.add("<bracketed-paste>", filter=has_focus(line))(self._paste)
        return keys

    def _paste(self, event: KeyPressEvent) -> None:
        """Insert pasted text, quoted if it has several words, because quoted lines do not count as the person's own."""
        from dotagent.terminal import uploads  # a chat without a paste does not need these
        from dotagent.text import words

        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        before = self.line.document.current_line_before_cursor
        many = len(text.split()) > 1 or (not text.isascii() and len(words.raw(text)) > 1)  # Chinese has no spaces
        if many and not self.line.text.startswith("/") and not uploads.is_path(text.strip()):
            text = ("\n" if before else "") + "".join(f"> {line}\n" for line in text.strip("\n").split("\n"))
        self.line.insert_text(text)

    def _complete(self) -> None:
        """Insert the common prefix of the completions. If that adds nothing, show them."""
        before = self.line.document.text_before_cursor
        found = self._words(before)
        more = os.path.commonprefix(found)[len(before) :]  # noqa: RUF071 these are words and no paths
        self.line.insert_text(more)
        if found and not more:
            rest = [f"… {len(found) - CHOICES:,} more"] if len(found) > CHOICES else []
            self.say(DIM + escape.printable("  ".join([*found[:CHOICES], *rest])) + PLAIN)

    def _cancel(self) -> None:
        if not self.line.text:
            self.say(f"{DIM}^D leaves{PLAIN}")
        if self.line.text.strip():
            self._unsent(self.line.text)
        self.line.reset(append_to_history=True)

    def _enter(self) -> None:
        if self.line.text.endswith("\\"):
            self.line.text = self.line.text[:-1] + "\n"
            self.line.cursor_position = len(self.line.text)
        elif self.line.text.strip():
            self.line.validate_and_handle()
        else:
            self.line.reset()

    def _go(self, by: int) -> None:
        self.line.cursor_position += by

    def _before(self) -> int:
        """Return how many characters the visible character before the cursor has."""
        before = self.line.document.text_before_cursor
        return len(before) - grapheme_boundary_before(before, len(before)) if before else 0

    def _after(self) -> int:
        """Return how many characters the visible character after the cursor has."""
        return len(next(iter_graphemes(self.line.document.text_after_cursor), ""))


def until(before: float, now: float, spent: float) -> float:
    """Return until when to wait after a check that used `spent` seconds of the processor. `before` is the previous
    result."""
    return max(before, now - SAVED) + max(FRAME, SHARE * spent)


class _Harmless(Processor):
    """Displays typed or pasted text without its control characters."""

    def apply_transformation(self, line: TransformationInput) -> Transformation:
        plain = [(one[0], escape.printable(one[1]).replace("\t", " ")) for one in line.fragments]
        return Transformation(list(plain))


class _Output(Vt100_Output):
    """Erases in a way that tmux does not save, as it does when the erased part begins at the screen's first cell."""

    def erase_down(self) -> None:
        self.write_raw("\x1b[K\x1b[C\x1b[J\x1b[D")


class _Area(Application[None]):
    """An application that finds its area again after a narrower terminal has rewrapped its rows."""

    def _on_resize(self) -> None:
        drawn, columns = self.renderer.last_rendered_screen, self.output.get_size().columns
        if drawn:
            at = drawn.get_cursor_position(self.layout.current_window)
            above = [sorted(drawn.data_buffer[row].items()) for row in range(at.y)]
            cells = [wcswidth("".join(char.char for _, char in row).rstrip()) for row in above]
            self.output.cursor_up(sum(max(0, used - 1) // columns for used in cells) + at.x // columns)
        super()._on_resize()
