"""Which addresses of the web are reached."""

from __future__ import annotations

import pytest

from dotagent.web.reach import public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0",
        "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::", "2001:db8::1", "2001:0:a00:1::80ff:fffe",
    ],
)  # fmt: skip
def test_what_is_near_or_nobodys_is_not_public(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "64:ff9b::101:101"])
def test_what_anybody_reaches_is(address: str) -> None:
    assert public(address)


def test_a_host_that_has_also_an_address_within_is_not_public() -> None:
    assert not public("1.1.1.1", "10.1.2.3")
    assert public("1.1.1.1", "93.184.216.34")
