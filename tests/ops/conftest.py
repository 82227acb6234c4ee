"""The oracles compute with infinities and NaN as IEEE 754 says, and NumPy need not warn of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(scope="session", autouse=True)
def quiet_oracles() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield
