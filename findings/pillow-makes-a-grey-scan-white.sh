#!/usr/bin/env bash
# Guess: `convert("RGB")` of a grey PNG with 16 bits (a scan, a microscope's or a depth camera's picture) shows the same
#   picture with 8 bits, as Pillow does with a coloured PNG of 16 bits.
# Seen: each value above 255 becomes white. Of a ramp from black to white all but the first step in 256 is white; most
#   scans are a white page. No error, no warning.
# Matters: whoever makes a picture smaller for a model sends a blank one, and the model says that it sees nothing.
#   dotagent did so; it now divides the values before (providers/server/media_input.py).
# With: pillow 13.0.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q pillow==13.0.0

cat >"$tmp/try.py" <<'END'
import io
import struct
import zlib

import PIL
from PIL import Image


def png(kind, samples):
    """A picture of one row with 16 bits a sample: kind 0 is grey, 2 is coloured."""
    head = struct.pack(">IIBBBBB", 5, 1, 16, kind, 0, 0, 0)
    row = b"\0" + b"".join(struct.pack(">H", one) for one in samples)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(row)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(b)) + a + b + struct.pack(">I", zlib.crc32(a + b)) for a, b in parts)
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


print("pillow", PIL.__version__)
RAMP = (0, 16384, 32768, 49152, 65535)
for name, picture in (("grey", png(0, RAMP)), ("coloured", png(2, [one for one in RAMP for _ in "rgb"]))):
    opened = Image.open(picture)
    for mode in ("RGB", "L"):
        first = opened.convert(mode).tobytes()[:: len(mode)]
        print(f"{name}, {opened.mode} to {mode}:", *first)
END
cat >"$tmp/seen" <<'END'
pillow 13.0.0
grey, I;16 to RGB: 0 255 255 255 255
grey, I;16 to L: 0 255 255 255 255
coloured, RGB to RGB: 0 64 128 192 255
coloured, RGB to L: 0 64 128 192 255
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
