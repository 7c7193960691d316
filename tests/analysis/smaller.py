"""The smaller runs of a report, by the names of their folders."""

from collections.abc import Mapping

from analysis.runs import Spec, plans_of
from sim.experiment import Plan


def smaller_plans(spec: Spec, found: Mapping | None = None) -> dict[str, Plan]:
    """Return {folder: plan}; without what others found, those that follow from others are not there."""
    return {str(key): plan for key, plan in plans_of(spec, found or {})}


def plan_kind(name: str) -> str:
    """Return the kind of a run by the name of its folder."""
    return name.partition("-")[0]
