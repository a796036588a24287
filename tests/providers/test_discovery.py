"""Providers are found by their files, and their configuration by their names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dotagent import extensions
from dotagent.providers import ProviderError, configure, load


def test_every_module_is_a_provider_and_no_package_is() -> None:
    assert {"deepseek", "gemini", "local", "offline", "openrouter"} <= set(extensions.names("providers"))
    assert not {"formats", "offline-wits"} & set(extensions.names("providers"))
    for name in extensions.names("providers"):
        assert load(name).BACKGROUND >= 1


@pytest.mark.parametrize("name", ["", "wire", "nobody", "../deepseek", "deepseek.x"])
def test_any_other_name_is_an_error_that_lists_them(name: str) -> None:
    with pytest.raises(ProviderError) as caught:
        load(name)
    assert caught.value.kind == "unconfigured"
    assert ", ".join(extensions.names("providers")) in caught.value.hint


def test_the_environment_goes_before_settings_and_settings_before_defaults() -> None:
    settings = {"base": "http://127.0.0.1:1/", "model": "m", "stall": 5}
    assert configure("deepseek", {}, settings).base == "http://127.0.0.1:1"
    config = configure("deepseek", {"DEEPSEEK_API_BASE": "http://127.0.0.1:2/v1/", "DEEPSEEK_API_KEY": ""}, settings)
    assert (config.base, config.key, config.model) == ("http://127.0.0.1:2/v1", None, "m")
    assert config.settings["stall"] == 5


def test_offline_is_loaded_without_the_weight_of_the_network() -> None:
    code = (
        "import sys; from dotagent import extensions, providers;"
        "[providers.load(name) for name in extensions.names('providers')];"
        "print(*{'httpx', 'asyncio', 'ssl'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "\n"
