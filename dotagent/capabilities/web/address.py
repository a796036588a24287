"""Allowed addresses: public addresses, and local addresses that settings name.

A name is looked up once, and the connection uses the checked address. So a name that changes its address a moment later
(DNS rebinding) gains nothing, nor does a redirect. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import httpcore
import httpx

from dotagent.network import reach


class Ways(httpcore.NetworkBackend):
    """Connections only to public addresses and these `near` ones (`host:port`)."""

    def __init__(self, near: Collection[str]) -> None:
        self._near = near
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect like httpcore, to the first address of the host that accepts. Raises NotPublic."""
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in self._addresses(host, port):
            try:
                return self._plain.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    def _addresses(self, host: str, port: int) -> list[str]:
        try:
            return reach.addresses(host, port, self._near)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} cannot be looked up: {error}") from None


class PublicTransport(httpx.BaseTransport):
    """httpx's requests over these connections, without a proxy, which would look names up itself."""

    def __init__(self, near: Collection[str]) -> None:
        self._pool = httpcore.ConnectionPool(ssl_context=httpx.create_ssl_context(), network_backend=Ways(near))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request. The answer's body is read as it arrives."""
        url = request.url
        assert isinstance(request.stream, httpx.SyncByteStream)
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        assert isinstance(answer.stream, Iterable)
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions, request=request
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()
