"""Which addresses of the web are reached."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.network import reach
from dotagent.network.reach import public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0",
        "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::", "2001:db8::1", "2001:0:a00:1::80ff:fffe",
        "64:ff9b:1::a00:1", "64:ff9b:1:fffe::1", "fec0::1", "feff:ffff::1", "::127.0.0.1", "::10.0.0.1", "::1.1.1.1",
        "192.88.99.1", "192.0.0.8", "192.0.0.170", "198.51.100.7", "203.0.113.7", "198.19.255.255", "0.1.2.3",
        "100.127.255.254", "239.1.2.3", "::ffff:0:10.0.0.1", "100::1", "100:0:0:1::1", "2001:2::1", "2001:10::1",
        "2001:20::1", "2001:4:112::1", "2002:101:101::1", "3fff::1", "5f00::1", "4000::1", "e000::1",
        "::ffff:100.64.0.1",
        "64:ff9b::c058:6301", "2606:4700::5efe:a00:1", "2606:4700::200:5efe:a00:1", "2001:0:4136:e378:8000::1",
    ],
)  # fmt: skip
def test_what_is_near_or_nobodys_is_not_public(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "64:ff9b::101:101", "2001:4860:4860::8888", "2a00:1450::1",
     "2400:cb00::1", "192.175.48.6", "223.255.255.254"],
)  # fmt: skip
def test_what_anybody_reaches_is(address: str) -> None:
    assert public(address)


def test_a_host_that_has_also_an_address_within_is_not_public() -> None:
    assert not public("1.1.1.1", "10.1.2.3")
    assert public("1.1.1.1", "93.184.216.34")


@given(st.integers(0, 2**32 - 1))
def test_what_contains_an_address_is_no_more_public_than_that(inner: int) -> None:
    inside = str(ipaddress.IPv4Address(inner))
    for form in ("::ffff:{}", "64:ff9b::{}"):
        assert public(form.format(inside)) is public(inside)
    for form in ("::{}", "64:ff9b:1::{}", "::ffff:0:{}", "2606:4700::5efe:{}", "fec0::{}"):
        assert not public(form.format(inside))


@given(st.integers(0, 2**128 - 1))
def test_only_global_unicast_addresses_are_public(number: int) -> None:
    address = ipaddress.IPv6Address(number)
    if public(str(address)):
        assert number >> 125 == 1 and address.is_global and not address.sixtofour and not address.teredo


def test_the_place_of_a_refused_address_opens_it() -> None:
    for host in ("127.0.0.1", "::1", "127.0.0.2"):
        with pytest.raises(reach.NotPublic) as refused:
            reach.addresses(host, 8080)
        assert reach.addresses(host, 8080, [refused.value.place]) == [host]
        with pytest.raises(reach.NotPublic):
            reach.addresses(host, 8081, [refused.value.place])
