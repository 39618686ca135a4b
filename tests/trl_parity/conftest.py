"""What all tests of the whole step share."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="module")
def in_double():
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(usual)
