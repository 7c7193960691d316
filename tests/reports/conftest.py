from __future__ import annotations

from pathlib import Path

import pytest

from reports.files import write
from reports.model import ReportModel
from tests.reports.sample import NASTY, sample


@pytest.fixture(scope="session")
def model() -> ReportModel:
    return sample()


@pytest.fixture(scope="session")
def nasty() -> ReportModel:
    return sample(NASTY, NASTY[0])


@pytest.fixture(scope="session")
def folder(model: ReportModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file of the sample report."""
    return write(model, tmp_path_factory.mktemp("plain")).parent


@pytest.fixture(scope="session")
def nasty_folder(nasty: ReportModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with names that look like markup, mathematics and paths."""
    return write(nasty, tmp_path_factory.mktemp("nasty")).parent
