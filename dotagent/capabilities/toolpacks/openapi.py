"""A pack that is an HTTP interface: each operation of its OpenAPI document is a tool.

Only this process sends requests, to the address in the manifest or in the document, and redirects are not followed.
Credentials are in headers and parameters that the manifest fills from the home's .env. Owns nothing on disk.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import Any
from urllib.parse import quote

import httpx

from dotagent import errors, packages
from dotagent.capabilities.toolpacks import arguments, document, manifest
from dotagent.capabilities.toolpacks.document import FORM, Operation, Parameter, Unusable
from dotagent.capabilities.toolpacks.pack_calls import Fate
from dotagent.capabilities.toolpacks.packs import Tool
from dotagent.capabilities.toolpacks.site import SHOWN, NotDone, Site
from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.text import escape
from dotagent.text.decompression import ACCEPTED, STEP, NotUnpacked, TooLarge, Unpacking

MOST = 1 << 20  # bytes read of an answer
LARGE = 20_000_000  # bytes of a document
CONNECT = 10.0  # seconds for the interface to respond


class Interface:
    """The pack, as a site.Running."""

    def __init__(self, site: Site) -> None:
        self._site, self._said = site, site.pack.manifest
        given, found = _read(site)
        self.left, self._operations = list[str](), dict[str, Operation]()
        for one in found:
            if isinstance(one, str):
                self.left.append(escape.one_line(one, 300))
            elif flaw := arguments.flaw(one.schema):
                self.left.append(f"{one.name}: the schema of this tool is not valid: {flaw}")
            else:
                self._operations[one.name] = one
        self._base = (self._said.url or document.server(given)).rstrip("/")
        if not self._base:
            raise NotDone(
                f'{self._said.document} does not contain the address of the service; write url = "https://…" '
                "into [openapi]"
            )
        values = site.secrets
        self._headers = {name: manifest.fill_variables(text, values) for name, text in self._said.headers.items()}
        self._query = [(name, manifest.fill_variables(text, values)) for name, text in self._said.query.items()]
        limit = httpx.Timeout(self._said.timeout, connect=min(CONNECT, self._said.timeout))
        self._client = httpx.Client(
            timeout=limit, follow_redirects=False, trust_env=False, headers={"Accept-Encoding": ACCEPTED}
        )

    def tools(self) -> list[Tool]:
        """Return one tool for each operation."""
        return [Tool(one.name, one.about, one.schema) for one in self._operations.values()]

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Send the request."""
        one = self._operations.get(tool.name)
        if one is None:
            raise NotDone(f"the tool {tool.name} no longer exists")
        arguments.check(tool.schema, args)
        try:
            request = self._request(one, args)
        except (httpx.InvalidURL, ValueError, TypeError) as why:
            raise NotDone(f"not called: {why}") from None
        end = time.monotonic() + self._said.timeout
        try:
            return self._answer(request, end)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise NotDone(f"{self._base} cannot be reached: {error}") from None
        except httpx.TimeoutException:
            raise Trouble(f"{self._base} did not answer within {self._said.timeout:g} s") from None
        except httpx.HTTPError as error:
            raise Trouble(f"{self._base} does not answer: {error}") from None
        except NotUnpacked as error:
            raise Trouble(f"the answer of {self._base} cannot be read: {error}") from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, one: Operation, args: Mapping[str, Any]) -> httpx.Request:
        path, query, headers, cookies = one.path, [*self._query], dict(self._headers), list[str]()
        for parameter in one.parameters:
            if parameter.argument not in args and parameter.where != "path":
                continue
            value = args[parameter.argument]
            if parameter.where == "path":
                path = path.replace(f"{{{parameter.name}}}", _segment(value))
            elif parameter.where == "query":
                query += _pairs(parameter, value)
            elif parameter.where == "header":
                if parameter.name.lower() not in {name.lower() for name in self._headers}:
                    headers[parameter.name] = _simple(value)
            else:
                cookies.append(f"{quote(parameter.name)}={quote(_simple(value))}")
        headers |= {"Cookie": "; ".join(cookies)} if cookies else {}
        url = httpx.URL(f"{self._base}{path}", params=query) if query else httpx.URL(f"{self._base}{path}")
        body = args.get("body")
        if "body" not in args or not one.body:
            return self._client.build_request(one.method.upper(), url, headers=headers)
        if one.body == FORM:
            fields = body.items() if isinstance(body, dict) else ()
            return self._client.build_request(
                one.method.upper(), url, headers=headers, data={name: _simple(value) for name, value in fields}
            )
        data = json.dumps(body).encode()
        return self._client.build_request(
            one.method.upper(), url, headers={"Content-Type": one.body, **headers}, content=data
        )

    def _answer(self, request: httpx.Request, end: float) -> Fate:
        told = bytearray()
        with closing(self._client.send(request, stream=True)) as answer, suppress(TooLarge):
            unpacking = Unpacking(answer.headers.get("content-encoding", ""), MOST + STEP)
            for piece in answer.iter_raw():
                for part in unpacking.add(piece):
                    told += part
                if len(told) > MOST:
                    break
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("")
        text = _text(bytes(told[:MOST]), answer.charset_encoding)[:SHOWN]
        if answer.is_success:
            return Fate(text or f"{answer.status_code} {answer.reason_phrase}")
        where = (
            f", which leads to {answer.headers.get('location', '')}; dotagent does not follow it"
            if answer.is_redirect
            else ""
        )
        return Fate(f"{answer.status_code} {answer.reason_phrase}{where}\n{text}".strip(), False)


def _text(data: bytes, encoding: str | None) -> str:
    try:
        return data.decode(encoding or "utf-8", "replace")
    except LookupError:  # the answer names an unknown encoding
        return data.decode("utf-8", "replace")


def _read(site: Site) -> tuple[Mapping[str, Any], list[Operation | str]]:
    """Return the pack's document and its operations. Raises NotDone."""
    path = site.pack.path / site.pack.manifest.document
    if not path.resolve().is_relative_to(site.pack.path.resolve()):
        raise NotDone(f"the file {path.name} is not in the directory of the tool pack")
    try:
        raw = disk.read(path, LARGE)
    except OSError as error:
        raise NotDone(errors.line(error)) from None
    return parse(path.name, raw)


def parse(name: str, raw: bytes) -> tuple[Mapping[str, Any], list[Operation | str]]:
    """Return a document and its operations, from a file of this name. Raises NotDone."""
    try:
        given = json.loads(raw) if name.lower().endswith(".json") else _yaml(raw)
    except (ValueError, RecursionError) as error:
        raise NotDone(f"{name} cannot be read: {escape.one_line(str(error), 300)}") from None
    if not isinstance(given, dict):
        raise NotDone(f"{name} is not an OpenAPI document")
    try:
        return given, list(document.operations(given))
    except Unusable as why:
        raise NotDone(f"{name}: {why}") from None


def _yaml(raw: bytes) -> object:
    try:
        from dotagent.text import yaml_values  # most documents are JSON
    except ImportError as missing:
        raise NotDone(f"{packages.lacks(missing)}; or write the document as .json") from None
    return json.loads(json.dumps(yaml_values.read(raw), default=str))  # names as texts, and no table inside itself


def _simple(value: object) -> str:
    """Return a value for a path, a header or a cookie."""
    if isinstance(value, list):
        return ",".join(map(_word, value))
    if isinstance(value, dict):
        return ",".join(f"{name},{_word(one)}" for name, one in value.items())
    text = _word(value)
    if any(ord(letter) < 32 for letter in text):
        raise ValueError("an argument in a header must not contain control characters")
    return text


def _segment(value: object) -> str:
    """Return a value for one segment of a path."""
    text = quote(_simple(value), safe="")
    if text in ("", ".", ".."):
        raise ValueError("a value that becomes a part of the address must not be empty, `.` or `..`")
    return text


def _pairs(one: Parameter, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if one.style == "deepObject":
            yield from ((f"{one.name}[{name}]", _word(each)) for name, each in value.items())
        elif one.explode:
            yield from ((name, _word(each)) for name, each in value.items())
        else:
            yield one.name, _simple(value)
    elif isinstance(value, list):
        if one.explode:
            yield from ((one.name, _word(each)) for each in value)
        else:
            between = {"pipeDelimited": "|", "spaceDelimited": " "}.get(one.style, ",")
            yield one.name, between.join(map(_word, value))
    else:
        yield one.name, _word(value)


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
