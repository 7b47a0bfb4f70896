"""Alerts and the dashboard ask for what there is, and each alert says what to do.

What there is, is what real dealers and the real Envoy tell a collector.
"""

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from dealer_service.observe.incidents import HINTS
from dealer_service.observe.metrics import Metrics
from tests.support.envoy import envoy_beside
from tests.support.promql import asked_by, filled, grouped_by
from tests.support.scraping import LOOPBACK, get
from tests.support.service import calling, refusal, seated, serving

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yaml"
DASHBOARD = DEPLOY / "grafana" / "dashboards" / "dashboard.json"
OF_PROMETHEUS = {
    "up": {"job", "instance"},
    "ALERTS": {"alertname", "alertstate", "job", "instance"},
}
OF_SCRAPES = {"job", "instance"}
"""Labels that Prometheus itself puts to what it reads."""
VARIABLES = {"__rate_interval": "5m", "instance": ".*"}

Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What collectors were told: names of samples, their labels, and values that these had."""

    labels: Mapping[str, frozenset[str]]
    values: Mapping[tuple[str, str], frozenset[str]]


def rules() -> list[Rule]:
    """Give all alerts."""
    groups = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


RULES = {rule["alert"]: rule for rule in rules()}


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text("utf-8"))
    return found


def panels() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = dashboard()["panels"]
    return listed


def queries() -> Iterator[tuple[str, str]]:
    """Give every query of the dashboard, with where it stands."""
    for panel in panels():
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]
    for one in dashboard()["annotations"]["list"]:
        yield one["name"], one["expr"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Play a hand at a real dealer behind a real Envoy, and read what both tell."""
    texts = asyncio.run(_scraped(tmp_path_factory.mktemp("told")))
    labels: dict[str, set[str]] = {}
    values: dict[tuple[str, str], set[str]] = {}
    for text in texts:
        named = set(re.findall(r"^(\w+)[{ ]", text, re.MULTILINE))
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                # The parser has every counter end in `_total`, which Envoy's do not.
                name = sample.name if sample.name in named else sample.name.removesuffix("_total")
                labels.setdefault(name, set()).update(sample.labels)
                for label, value in sample.labels.items():
                    values.setdefault((name, label), set()).add(value)
    return Told(
        {name: frozenset(one) for name, one in labels.items()},
        {key: frozenset(one) for key, one in values.items()},
    )


async def _scraped(folder: Path) -> list[str]:
    async with (
        serving(
            folder / "dealer",
            metrics=LOOPBACK,
            archive=folder / "archive",
            publication=folder / "publication",
        ) as service,
        envoy_beside({"dealer-a": service.address}, folder / "proxy") as envoy,
    ):
        game = await service.open_game(max_hands=1)
        bots = await seated(service, game, "ann", "bob", policy=calling)
        assert await bots[0].until_over() == "end"
        await refusal(bots[0].act(1, 1, 1))
        page = await get(service.dealer.metrics_port, "/metrics")
        port = int(envoy.collectors.rpartition(":")[2])
        return [page.text, (await get(port, "/stats/prometheus")).text]


def labels_of(name: str, told: Told) -> set[str]:
    """Give the labels that a sample of a name has; of one that did not come up, by its metric."""
    if name in OF_PROMETHEUS:
        return OF_PROMETHEUS[name]
    if name in told.labels:
        return set(told.labels[name]) | OF_SCRAPES
    # A dealer has said that there is such a metric, and nothing of it has happened yet.
    declared = Metrics("1").registry._names_to_collectors.get(name)
    assert declared is not None, f"no dealer and no Envoy tells {name}"
    own = set(declared._labelnames)  # type: ignore[attr-defined]
    return own | OF_SCRAPES | ({"le"} if name.endswith("_bucket") else set())


def require_there(where: str, query: str, told: Told) -> None:
    """Hold each metric, label and value of a query to what was told."""
    every: set[str] = set()
    asked = asked_by(query)
    assert asked, (where, query)
    for one in asked:
        labels = labels_of(one.name, told)
        every |= labels
        for label, value in one.picked():
            assert label in labels, (where, one.name, label)
            known = KNOWN.get((one.name, label)) or told.values.get((one.name, label))
            plain = re.fullmatch(r"[A-Za-z0-9_/ -]+", value)
            if known and plain:
                assert value in known, (where, one.name, label, value)
    assert grouped_by(query) <= every, (where, query)


STATES = frozenset({"open", "paused", "closed", "halted"})
KNOWN = {
    ("cutcard_hands_total", "end"): frozenset(
        {"played", "link_missing", "operator", "health", "no_beacon", "dealer_fault"}
    ),
    ("cutcard_acts_total", "by"): frozenset({"player", "clock", "pre_action", "absent"}),
    ("cutcard_games", "state"): STATES,
    ("cutcard_witness_requests_total", "outcome"): frozenset(
        {
            "cosigned",
            "unanswered",
            "declined",
            "invalid",
            "unproved",
            "seen_later",
            "seen_another",
        }
    ),
    ("cutcard_warnings_total", "event"): frozenset(HINTS),
    # Those of the whole contract: what is refused is no matter of one hand.
    ("cutcard_refusals_total", "reason"): frozenset(
        re.findall(
            r"\b[A-Z][A-Z_]{3,}\b",
            (DEPLOY.parent / "proto" / "cutcard" / "v1" / "play.proto").read_text("utf-8"),
        )
    ),
}
"""Every value that a label may have, where one hand does not show them all."""


@pytest.mark.parametrize(
    "query",
    [
        "cutcard_nothing > 0",
        'cutcard_games{phase="halted"}',
        'cutcard_games{state="broken"}',
        "sum by (table) (cutcard_players)",
        "rate(envoy_nothing[5m])",
    ],
)
def test_what_there_is_not_is_found_out(query: str, told: Told) -> None:
    with pytest.raises(AssertionError):
        require_there("a query of the test", query, told)


class TestAlerts:
    @pytest.mark.parametrize("name", RULES)
    def test_ask_for_what_there_is(self, name: str, told: Told) -> None:
        require_there(name, RULES[name]["expr"], told)

    @pytest.mark.parametrize("name", RULES)
    def test_say_what_it_is_what_to_do_and_where_that_is_written(self, name: str) -> None:
        rule = RULES[name]
        assert rule["labels"] in ({"severity": "critical"}, {"severity": "warning"})
        assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}
        assert len(rule["annotations"]["summary"]) <= 100
        assert len(rule["annotations"]["description"].split()) >= 10
        path, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert path == "deploy/OPERATIONS.md"
        assert anchor in headings()

    def test_have_each_been_seen_to_fire_and_to_be_quiet(self) -> None:
        text = (ALERTS.parent / "alerts_test.yaml").read_text("utf-8")
        seen = yaml.safe_load(text)["tests"]
        assert [one["name"] for one in seen] == list(RULES)
        for one in seen:
            quiet, firing = one["promql_expr_test"]
            asks = f'ALERTS{{alertname="{one["name"]}",alertstate="firing"}}'
            assert quiet["expr"] == firing["expr"] == asks
            assert quiet["exp_samples"] == []
            assert firing["exp_samples"]
            # More instances are looked at than ail.
            assert len(one["input_series"]) > len(firing["exp_samples"])

    def test_cover_every_event_that_needs_somebody(self) -> None:
        """By its count, or by a metric of its own; what is left needs nobody at night."""
        counted = {
            value
            for rule in RULES.values()
            for one in asked_by(rule["expr"])
            if one.name == "cutcard_warnings_total"
            for _, value in one.picked()
        }
        assert counted <= HINTS.keys()
        measured = {
            "archive_differs": "CutcardArchiveFails",
            "archive_failed": "CutcardArchiveFails",
            "beat_failed": "CutcardLeaseLate",
            "call_failed": "CutcardDealerFaults",
            "cards_wait_for_log": "CutcardCardsWaitForLog",
            "certificate_expires_soon": "CutcardCertificateExpires",
            "game_taken_over": "CutcardGamesTakenFromNode",
            "publishing_failed": "CutcardPublicationFails",
            "randomness_failed": "CutcardRandomnessFails",
            "randomness_still_fails": "CutcardRandomnessFails",
            "store_failed": "CutcardStoreFailed",
            "table_halted": "CutcardTableHalted",
            "witness_away": "CutcardWitnessAway",
            "witness_declines": "CutcardWitnessAway",
        }
        told_at_a_start = {
            "certification_mode",
            "development_mode",
            "metrics_are_public",
            "not_protected",
        }
        # Another node goes on, and CutcardNobodyPublishes fires where none does.
        mends_itself = {"dealer_log_taken_over"}
        assert set(measured.values()) <= RULES.keys()
        assert counted | measured.keys() | told_at_a_start | mends_itself == HINTS.keys()

    def test_are_for_the_jobs_that_are_scraped(self) -> None:
        config = yaml.safe_load((ALERTS.parent / "prometheus.yaml").read_text("utf-8"))
        jobs = {one["job_name"]: one for one in config["scrape_configs"]}
        picked = {
            value
            for query in (*(rule["expr"] for rule in RULES.values()), *dict(queries()).values())
            for one in asked_by(query)
            for label, value in one.picked()
            if label == "job"
        }
        assert picked == {"cutcard-dealer", "cutcard-envoy"} == jobs.keys() - {"prometheus"}
        assert jobs["cutcard-envoy"]["metrics_path"] == "/stats/prometheus"
        for job, port in (("cutcard-dealer", "9464"), ("cutcard-envoy", "9902")):
            (static,) = jobs[job]["static_configs"]
            assert {target.rpartition(":")[2] for target in static["targets"]} == {port}


def headings() -> set[str]:
    """Give the anchors of OPERATIONS.md, as a reader of Markdown makes them of headings."""
    text = (DEPLOY / "OPERATIONS.md").read_text("utf-8")
    found = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in found}


class TestTheDashboard:
    def test_has_what_grafana_needs_to_take_it(self) -> None:
        board = dashboard()
        assert board["uid"] == "cutcard"
        assert board["schemaVersion"] >= 36
        assert board["title"]
        # Given ids are the database's, and none of a file's.
        assert "id" not in board
        ids = [panel["id"] for panel in panels()]
        assert len(set(ids)) == len(ids)
        titles = [panel["title"] for panel in panels()]
        assert len(set(titles)) == len(titles)
        for panel in panels():
            if panel["type"] != "row":
                references = [target["refId"] for target in panel["targets"]]
                assert len(set(references)) == len(references) > 0
                assert panel["fieldConfig"]["defaults"]
                for target in (panel, *panel["targets"]):
                    assert target["datasource"] == {
                        "type": "prometheus",
                        "uid": "${datasource}",
                    }

    def test_is_provisioned_from_where_it_lies(self) -> None:
        folder = DEPLOY / "grafana" / "provisioning"
        (provider,) = yaml.safe_load((folder / "dashboards" / "cutcard.yaml").read_text())[
            "providers"
        ]
        assert provider["options"]["path"] == "/etc/grafana/dashboards"
        (source,) = yaml.safe_load((folder / "datasources" / "prometheus.yaml").read_text())[
            "datasources"
        ]
        variable = dashboard()["templating"]["list"][0]
        assert (variable["name"], variable["current"]["value"]) == ("datasource", source["uid"])

    def test_lays_no_panel_over_another(self) -> None:
        places = {panel["title"]: panel["gridPos"] for panel in panels()}
        for place in places.values():
            assert min(place["x"], place["y"]) >= 0
            assert min(place["w"], place["h"]) >= 1
            assert place["x"] + place["w"] <= 24
        for (one, a), (other, b) in combinations(places.items(), 2):
            beside = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
            above = a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"]
            assert beside or above, (one, other)

    def test_has_a_row_for_each_subject(self) -> None:
        rows = [panel["title"] for panel in panels() if panel["type"] == "row"]
        assert rows == [
            "Overview",
            "Fairness",
            "Store",
            "Streams",
            "Cluster",
            "Publication and witnesses",
            "Process",
            "Proxy",
        ]

    def test_asks_for_what_there_is(self, told: Told) -> None:
        for where, query in queries():
            require_there(where, filled(query, VARIABLES), told)

    def test_shows_every_metric_of_a_dealer(self) -> None:
        shown = {one.name for _, query in queries() for one in asked_by(query)}
        bare = {re.sub(r"_(total|bucket|sum|count|info)$", "", name) for name in shown}
        text = Metrics("1").text().decode()
        there = {
            family.name.removesuffix("_info")
            for family in text_string_to_metric_families(text)
            if family.name.startswith("cutcard_")
        }
        # Lines of the log stand in it as well as notices, and quorums as well as their number.
        assert there - bare <= {"cutcard_log_notices"}

    def test_every_query_of_one_dealer_goes_by_the_choice_of_dealers(self) -> None:
        for where, query in queries():
            for one in asked_by(query):
                if one.name.startswith(("cutcard_", "process_")):
                    assert ("instance", "=~", "$instance") in one.picks, where


def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        pytest.skip("promtool is not installed: Debian's package prometheus has it")
    return found


class TestByPromtool:
    def test_the_configuration_and_its_rules_are_taken(self) -> None:
        require_run(promtool(), "check", "config", DEPLOY / "prometheus" / "prometheus.yaml")

    def test_every_alert_fires_where_it_should(self) -> None:
        require_run(promtool(), "test", "rules", DEPLOY / "prometheus" / "alerts_test.yaml")

    def test_every_query_of_the_dashboard_is_promql(self, tmp_path: Path) -> None:
        """A file of rules is the form in which promtool of any version reads queries."""
        listed = [
            {"record": f"query:{index}", "expr": filled(query, VARIABLES)}
            for index, (_, query) in enumerate(queries())
        ]
        place = tmp_path / "queries.yaml"
        place.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": listed}]}))
        require_run(promtool(), "check", "rules", place)


def require_run(*command: object) -> None:
    run = subprocess.run(
        [str(one) for one in command], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
