"""Pictures, PDFs and sound that tests show: small, whole, and made here, byte for byte the same each time."""

from __future__ import annotations

import io
import struct
import wave
import zlib


def png(wide: int, high: int, tone: int = 0) -> bytes:
    """A picture of so many pixels, of one tone."""
    rows = (b"\0" + bytes([tone, 0, 255 - tone]) * wide) * high
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def pdf(pages: int = 1) -> bytes:
    """A document of so many blank pages."""
    kids = " ".join(f"{3 + number} 0 R" for number in range(pages))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>"]
    objects += ["<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>"] * pages
    data, places = b"%PDF-1.4\n", list[int]()
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{one}\nendobj\n".encode()
    table = "".join(f"{at:010} 00000 n \n" for at in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + head.encode() + tail.encode()


def wav(seconds: int = 1) -> bytes:
    """Silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(1)
        out.setframerate(8000)
        out.writeframes(bytes([128]) * 8000 * seconds)
    return file.getvalue()
