"""An HTTP program by FastAPI, which writes its own OpenAPI document: `--document` prints that, a port serves it."""

from __future__ import annotations

import json
import sys
import threading
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field

app = FastAPI(title="A shop")
shop: dict[int, dict[str, object]] = {}
bearer = HTTPBearer()


class Part(BaseModel):
    """A part of a thing."""

    name: str
    parts: list[Part] = []


class Item(BaseModel):
    """A thing that is sold."""

    name: str = Field(min_length=1)
    price: float = Field(gt=0)
    note: str | None = None
    parts: list[Part] = []


@app.get("/items/{name:path}", operation_id="find")
def find(
    name: str,
    request: Request,
    tag: Annotated[list[str], Query()] = [],  # noqa: B006 it is FastAPI's way
    most: Annotated[int, Query(le=10)] = 5,
    x_trace: Annotated[str | None, Header()] = None,
) -> dict[str, object]:
    """Find things by name"""
    said = request.headers.get("authorization", "")
    return {
        "name": name,
        "path": request.scope["raw_path"].decode(),
        "tag": tag,
        "most": most,
        "trace": x_trace,
        "by": said,
    }


@app.post("/items", operation_id="add", status_code=201, dependencies=[Depends(bearer)])
def add(item: Item) -> Item:
    """Put a thing on sale"""
    shop[len(shop)] = item.model_dump()
    return item


@app.get("/count")
def count() -> int:
    """How many things are on sale"""
    return len(shop)


@app.delete("/items/{number}", operation_id="drop", status_code=204)
def drop(number: int) -> Response:
    """Take a thing off"""
    if number not in shop:
        raise HTTPException(404, "no such thing")
    del shop[number]
    return Response(status_code=204)


@app.get("/elsewhere", operation_id="elsewhere")
def elsewhere() -> RedirectResponse:
    """Lead elsewhere"""
    return RedirectResponse("http://127.0.0.1:1/")


@app.get("/hang", operation_id="hang")
def hang() -> str:
    """Never answer"""
    threading.Event().wait()
    return ""


@app.get("/flood", operation_id="flood", response_class=PlainTextResponse)
def flood() -> str:
    """Answer with much"""
    return "x" * 30_000_000


if __name__ == "__main__":
    if sys.argv[1] == "--document":
        print(json.dumps(app.openapi()))
    else:
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical")
