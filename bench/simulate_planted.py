"""Faults that are planted in copies of the code, one at a time, to see that the simulation finds them.

Two faults are not here, because the simulation did not find them. If LIFE is synced before the blobs that it names, a
start after a power cut sets the lines without a blob aside, and nobody has acted on them. If an agent opens LIFE while
a deletion replaces it, two programs run within a few calls of each other; tests/store/test_log.py has this moment.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, table

FAULTS: dict[str, tuple[str, str, str]] = {  # what is wrong: the file, what is there, and what takes its place
    "LIFE is not synced": (
        "dotagent/store/log.py",
        "            disk.sync(self._fd, self.path)\n            self._dirty = False",
        "            self._dirty = False",
    ),
    "the content of blobs is not synced": (
        "dotagent/store/blobs.py",
        "        for path in self._unsynced:\n",
        "        for path in list[Path]():\n",
    ),
    "the names of blobs are not synced": (
        "dotagent/store/blobs.py",
        "for directory in {path.parent for path in self._unsynced}:",
        "for directory in set[Path]():",
    ),
    "the folders of blobs are not synced": (
        "dotagent/store/blobs.py",
        "            disk.sync_dir(self.root)  #",
        "            #",
    ),
    "a message in a room is not synced": (
        "dotagent/store/rooms.py",
        "        end = os.fstat(fd).st_size\n        disk.sync(fd, path)\n",
        "        end = os.fstat(fd).st_size\n",
    ),
    "an effect is announced without a sync": (
        "dotagent/life/session.py",
        "        self.record(effect)\n        self.sync()\n",
        "        self.record(effect)\n",
    ),
    "a start does not sync what a killed process had not": (
        "dotagent/life/log_repair.py",
        "            store.doubt(line.id)\n",
        "            pass\n",
    ),
    "a reply is not synced before its call is finished": (
        "dotagent/store/queue.py",
        "parent=call.id, agent=call.agent)\n    store.sync()\n",
        "parent=call.id, agent=call.agent)\n",
    ),
    "a file's new name is not synced": (
        "dotagent/store/disk.py",
        "durable=durable), name, folder)\n    if durable:\n        os.fsync(folder)\n",
        "durable=durable), name, folder)\n",
    ),
    "a file is not synced before it gets its name": (
        "dotagent/store/disk.py",
        "        append(fd, data, path)\n        if durable:\n            sync(fd, path)\n",
        "        append(fd, data, path)\n",
    ),
    "the lock of LIFE is not taken": (
        "dotagent/store/log.py",
        "if not disk.try_lock(fd, disk.PROBED):",
        "if False:",
    ),
    "one byte too many is cut from LIFE": (
        "dotagent/store/log.py",
        "        os.ftruncate(self._fd, begin)\n",
        "        os.ftruncate(self._fd, max(0, begin - 1))\n",
    ),
    "the rest of a message is written from one byte too far": (
        "dotagent/store/room_completion.py",
        "message[len(torn) :]",
        "message[len(torn) + 1 :]",
    ),
    "after a crash a message is said without a look": (
        "dotagent/tools/say.py",
        "    _say(session, call, what, room_completion.complete)\n",
        "    _say(session, call, what, rooms.append)\n",
    ),
    "the position after several messages is recorded with the first": (
        "dotagent/loop/inbox.py",
        "            self._record_one(name, message, position)\n",
        "            self._record_one(name, message, heard[-1][1])\n",
    ),
    "a message does not wake the agent": (
        "dotagent/loop/inbox.py",
        "                self._watch.content(path)\n",
        "",
    ),
    "a call does not wake the provider": (
        "dotagent/providers/server/serve.py",
        '        watcher.new(where.calls / "new" / name)',
        "        #",
    ),
    "a tag repeats within a second": (
        "dotagent/tools/say.py",
        "if found else 0} {session.next()}",
        "if found else 0} {session.next()[:19]}Z",
    ),
    "a job's time is the local one": (
        "dotagent/text/times.py",
        "    return to_second(stamp(instant))",
        "    return to_second(stamp(instant.astimezone(find_zone(zone())).replace(tzinfo=UTC)))",
    ),
    "a due run is removed before LIFE has it": (
        "dotagent/capabilities/scheduler/wakes.py",
        "        session.sync()\n        disk.remove(path)\n        return new",
        "        disk.remove(path)\n        return new",
    ),
    "a due run is not looked up in LIFE": (
        "dotagent/capabilities/scheduler/wakes.py",
        "new = one.key not in SLICE.of(session.state).woken",
        "new = True",
    ),
    "the clock sleeps for an hour": (
        "dotagent/capabilities/scheduler/serve.py",
        "watcher.wait(max(0.0, min(left, LONGEST)))",
        "watcher.wait(3600.0)",
    ),
    "a room of another audience is joined": (
        "dotagent/loop/inbox.py",
        "            elif rooms.audience(path, session.owner) != session.state.audience:",
        "            elif False:",
    ),
    "a living agent numbers its entries one further": (
        "dotagent/life/session.py",
        "found = context.entry(line, self.state.number + 1,",
        "found = context.entry(line, self.state.number + 2,",
    ),
}


def main(seconds: float, worlds: int, seed: int, only: str) -> int:
    """Plant each whose name fits the pattern, and print in which world it was found: exit status 1 if in none."""
    for name, (file, there, _) in FAULTS.items():
        if (ROOT / file).read_text().count(there) != 1:
            raise SystemExit(f"{name}: {file} does not hold once: {there}")
    rows, missed = list[list[object]](), 0
    for name, (file, there, wrong) in FAULTS.items():
        if not re.search(only, name):
            continue
        with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="dotagent-planted-") as folder:
            copy = Path(folder)
            for part in ("dotagent", "bench"):
                shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("static", "data"))
            for one in (*ROOT.glob("*.py"), *ROOT.glob("*.md"), ROOT / "pyproject.toml"):
                shutil.copy(one, copy)
            (copy / file).write_text((copy / file).read_text().replace(there, wrong))
            words = ["--seconds", str(seconds), "--worlds", str(worlds), "--seed", str(seed), "--smaller", "0"]
            done = subprocess.run(
                [sys.executable, "bench/simulate.py", *words], cwd=copy, capture_output=True, text=True, check=False
            )
        found = re.search(r"found in world (\d+), after ([\d.]+) s, ([\d.]+) s of", done.stderr)
        first = re.search(r"(?m)^  (\S.*)$", done.stderr)
        if "the simulation failed" in done.stderr:
            raise SystemExit(f"{name}: {done.stderr}")
        missed += not found
        when = found.groups() if found else ("not found", "", "")
        row: list[object] = [name, *when, first[1][:70] if found and first else ""]
        rows.append(row)
        print("; ".join(map(str, row)), file=sys.stderr, flush=True)
    table("Planted faults", ["fault", "world", "seconds", "computing", "what was seen"], rows)
    return 1 if missed else 0
