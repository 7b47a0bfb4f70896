"""The rendered overlays: the restricted baseline, references that lead somewhere, who may call.

`make lint-deploy` holds the same objects to Kubernetes' own schemas. No cluster runs them here.
"""

import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from dealer_service.config import SettingError, split_address
from deploy.envoy.for_nodes import main as envoy_for_nodes
from deploy.envoy.for_nodes import read_nodes
from tests.support.deployed import (
    DEPLOY,
    IMAGE,
    OVERLAYS,
    STATE,
    USER,
    Object,
    compose,
    containers,
    dealer_container,
    image_environment,
    named,
    of_kind,
    pods,
    rendered,
    settings_of,
)

FOLDER = DEPLOY / "kubernetes"
SECRETS = {
    "one": {"dealer-keys", "dealer-tls", "envoy-tls"},
    "several": {"dealer-keys", "dealer-tls", "envoy-tls", "dealer-store", "owner-store"},
}
BESIDE = ("certificate.yaml", "dealers.yaml")
UNSAID = "SAY-WHERE-YOUR-PODS-ARE"
PODS = "10.244.0.0/16 fd00:10:244::/56"
every_overlay = pytest.mark.parametrize("overlay", OVERLAYS)


def environment(overlay: str) -> dict[str, str]:
    """Give the variables of a dealer, as the first pod has them."""
    given = {
        "CUTCARD_NODE": "dealer-0",
        "NAMESPACE": "cutcard",
        "CUTCARD_STORE": "postgresql://dealing@db.example.com/cutcard",
    }
    found: dict[str, str] = {}
    for each in dealer_container(overlay)["env"]:
        if "configMapKeyRef" in each.get("valueFrom", {}):
            value = data_of(overlay, **each["valueFrom"]["configMapKeyRef"])
        else:
            value = each["value"] if "value" in each else given[each["name"]]
        found[each["name"]] = re.sub(r"\$\((\w+)\)", lambda match: found[match[1]], value)
    return image_environment() | found


def data_of(overlay: str, name: str, key: str) -> str:
    """Give a value of a map of the overlay's, and where it is the operator's to say, a good one."""
    value = str(named(overlay, "ConfigMap", name)["data"][key])
    return PODS if value == UNSAID else value


def find(value: Any, key: str) -> Iterator[Any]:
    """Give every value of a key, however deep."""
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        for each in value.values():
            yield from find(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from find(each, key)


@every_overlay
def test_every_container_is_restricted(overlay: str) -> None:
    for name, pod in pods(overlay):
        spec = pod["spec"]
        person = spec["securityContext"]
        assert person["runAsNonRoot"] is True, name
        assert (person["runAsUser"], person["runAsGroup"]) == (USER, USER), name
        assert person["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys(), name
        for container in containers(pod):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, container["name"]
            assert container["resources"].keys() == {"requests", "limits"}, container["name"]


@every_overlay
def test_nothing_has_a_way_to_the_clusters_api(overlay: str) -> None:
    accounts = {each["metadata"]["name"]: each for each in of_kind(overlay, "ServiceAccount")}
    assert all(each["automountServiceAccountToken"] is False for each in accounts.values())
    for _, pod in pods(overlay):
        assert pod["spec"]["serviceAccountName"] in accounts
        assert pod["spec"]["automountServiceAccountToken"] is False
    assert of_kind(overlay, "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding") == []
    labels = named(overlay, "Namespace", "cutcard")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


@every_overlay
def test_secrets_are_named_and_never_there(overlay: str) -> None:
    assert of_kind(overlay, "Secret") == []
    by_name = {name for each in rendered(overlay) for name in find(each, "secretName")}
    by_name |= {each["name"] for one in rendered(overlay) for each in find(one, "secretKeyRef")}
    assert by_name == SECRETS[overlay]
    heads = "".join(
        (FOLDER / place / "kustomization.yaml").read_text(encoding="utf-8")
        for place in ("base", f"overlays/{overlay}")
    )
    told = set(re.findall(r"create secret (?:generic|tls) ([\w-]+)", heads))
    assert told == SECRETS[overlay]


@every_overlay
def test_every_mount_and_every_map_is_there(overlay: str) -> None:
    maps = {each["metadata"]["name"]: each["data"] for each in of_kind(overlay, "ConfigMap")}
    claims = {
        claim["metadata"]["name"]
        for each in of_kind(overlay, "StatefulSet")
        for claim in each["spec"]["volumeClaimTemplates"]
    }
    for name, pod in pods(overlay):
        volumes = {each["name"]: each for each in pod["spec"]["volumes"]}
        used = {mount["name"] for each in containers(pod) for mount in each["volumeMounts"]}
        assert used <= volumes.keys() | claims, name
        assert volumes.keys() <= used, name
        for volume in volumes.values():
            if "configMap" in volume:
                assert volume["configMap"]["name"] in maps, name
        for container in containers(pod):
            for mount in container["volumeMounts"]:
                if "subPath" in mount:
                    content = maps[volumes[mount["name"]]["configMap"]["name"]]
                    assert mount["subPath"] in content


@every_overlay
def test_ports_and_selectors_lead_to_containers(overlay: str) -> None:
    by_label = dict(pods(overlay))
    for service in of_kind(overlay, "Service"):
        pod = by_label[service["spec"]["selector"]["app.kubernetes.io/name"]]
        ports = {port["name"]: port["containerPort"] for port in listening(pod)}
        for port in service["spec"]["ports"]:
            assert port["targetPort"] in ports
    for _, pod in pods(overlay):
        names = {port["name"] for port in listening(pod)}
        for container in containers(pod):
            for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
                for check in find(container.get(kind, {}), "port"):
                    assert check in names


def listening(pod: Object) -> list[Object]:
    """Give a pod's ports."""
    return [port for each in containers(pod) for port in each.get("ports", ())]


@every_overlay
def test_a_dealers_settings_are_its_own_and_agree_with_its_ports(overlay: str) -> None:
    settings = settings_of(environment(overlay))
    ports = {port["name"]: port["containerPort"] for port in dealer_container(overlay)["ports"]}
    assert split_address(settings.address)[1] == ports["grpc"]
    assert split_address(settings.metrics)[1] == ports["metrics"]
    assert settings.directory.as_posix() == STATE
    service = named(overlay, "StatefulSet", "dealer")["spec"]["serviceName"]
    assert settings.cluster.node == "dealer-0"
    assert settings.cluster.advertise == f"dealer-0.{service}.cutcard.svc:{ports['grpc']}"
    assert bool(settings.store_url) is (overlay == "several")
    written = [mount["mountPath"] for mount in dealer_container(overlay)["volumeMounts"]]
    assert settings.tls is not None
    assert settings.tls.key.parent.parent.as_posix() in written


@every_overlay
def test_a_dealer_that_ails_gets_no_newcomers_and_is_not_restarted(overlay: str) -> None:
    """/metrics answers while the dealer does; /healthz only while it serves."""
    container = dealer_container(overlay)
    ready = container["readinessProbe"]
    assert ready["httpGet"] == {"path": "/healthz", "port": "metrics"}
    for kind in ("startupProbe", "livenessProbe"):
        assert container[kind]["httpGet"] == {"path": "/metrics", "port": "metrics"}
    # The dealer itself says after five seconds that it does not answer.
    assert all(
        container[f"{kind}Probe"]["timeoutSeconds"] > 5 for kind in ("liveness", "readiness")
    )
    headless = named(overlay, "Service", "dealer")["spec"]
    assert headless["clusterIP"] == "None"
    assert headless["publishNotReadyAddresses"] is True


@every_overlay
def test_a_dealer_has_time_to_drain(overlay: str) -> None:
    spec = named(overlay, "StatefulSet", "dealer")["spec"]
    drain = settings_of(environment(overlay)).drain
    assert spec["template"]["spec"]["terminationGracePeriodSeconds"] >= drain + 10


@every_overlay
def test_what_a_dealer_signed_outlives_it(overlay: str) -> None:
    spec = named(overlay, "StatefulSet", "dealer")["spec"]
    assert set(spec["persistentVolumeClaimRetentionPolicy"].values()) == {"Retain"}
    mounts = {each["mountPath"]: each["name"] for each in dealer_container(overlay)["volumeMounts"]}
    assert mounts[STATE] == spec["volumeClaimTemplates"][0]["metadata"]["name"]


@every_overlay
def test_keys_are_the_dealers_alone_whatever_a_secrets_files_are(
    overlay: str, tmp_path: Path
) -> None:
    """The words of the first container are run here, on files that a group may read."""
    pod = named(overlay, "StatefulSet", "dealer")["spec"]["template"]
    first = pod["spec"]["initContainers"][0]
    folders = {mount["mountPath"]: tmp_path / mount["name"] for mount in first["volumeMounts"]}
    for folder in folders.values():
        folder.mkdir()
    keys, tls, run, state = (
        folders[each] for each in ("/secrets/keys", "/secrets/tls", "/run/cutcard", STATE)
    )
    given = [keys / name for name in ("log.key", "sealing.key", "token.key")]
    given += [tls / "tls.key", tls / "tls.crt"]
    if overlay == "several":
        given.append(folders["/secrets/store"] / "pgpass")
    for path in given:
        path.write_text(path.name)
        path.chmod(0o440)
    (state / "sealing-0badc0de.key").symlink_to(run / "keys" / "sealing-0badc0de.key")
    (state / "store.sqlite").touch()
    script = in_folders(first["command"][-1], folders)
    for _ in range(2):
        subprocess.run([*first["command"][:-1], script], check=True)
    kept = {path.name for path in state.iterdir()}
    assert kept == {"log.key", "sealing.key", "token.key", "store.sqlite"}
    places = {keys: run / "keys", tls: run / "tls"}
    for path in given:
        copied = places.get(path.parent, run) / path.name
        assert copied.read_text() == path.name
        assert copied.stat().st_mode & 0o777 == 0o600
        assert path.parent != keys or (state / path.name).resolve() == copied


def in_folders(script: str, folders: Mapping[str, Path]) -> str:
    """Give a script's words for folders of a test's."""
    for place, folder in folders.items():
        script = script.replace(place, str(folder))
    return script


class Mounted:
    """A secret's folder as it is mounted: its files are links by way of one that is moved."""

    def __init__(self, folder: Path, *names: str) -> None:
        self._folder = folder
        self._names = names
        folder.mkdir(exist_ok=True)
        self.have("1")
        for name in names:
            (folder / name).symlink_to(f"..data/{name}")

    def have(self, version: str, *, link: str = "..data") -> None:
        """Have all files be of a version, at once."""
        files = self._folder / f"..{version}"
        files.mkdir(exist_ok=True)
        for name in self._names:
            (files / name).write_text(version)
        (self._folder / "..next").symlink_to(files.name)
        (self._folder / "..next").rename(self._folder / link)

    def exchanged_in_the_midst(self, programs: Path) -> dict[str, str]:
        """Give the variables of a script whose first copying meets new files behind the first."""
        self.have("2", link="..later")
        programs.mkdir()
        once = programs / "once"
        once.touch()
        install = programs / "install"
        install.write_text(
            "#!/bin/sh -e\n"
            "shift 2; for last do :; done\n"
            "for each do\n"
            '  test "$each" != "$last" || continue\n'
            '  cp -- "$each" "$last"; chmod 0600 "$last/${each##*/}"\n'
            f"  case $each in {self._folder}/*) test ! -e {once} || {{ rm {once};"
            f" mv -T {self._folder}/..later {self._folder}/..data; }};; esac\n"
            "done\n"
        )
        install.chmod(0o755)
        return {"PATH": f"{programs}:/usr/bin:/bin"}


@every_overlay
@pytest.mark.parametrize("secret", ["keys", "tls"])
def test_a_secret_that_is_exchanged_in_the_midst_is_taken_whole(
    overlay: str, secret: str, tmp_path: Path
) -> None:
    """No old key stands beside a new certificate, and no key is of another set than the rest."""
    pod = named(overlay, "StatefulSet", "dealer")["spec"]["template"]
    first = pod["spec"]["initContainers"][0]
    folders = {mount["mountPath"]: tmp_path / mount["name"] for mount in first["volumeMounts"]}
    for folder in folders.values():
        folder.mkdir()
    mounted = {
        "keys": Mounted(folders["/secrets/keys"], "log.key", "sealing.key", "token.key"),
        "tls": Mounted(folders["/secrets/tls"], "tls.crt", "tls.key", "ca.crt"),
    }
    if overlay == "several":
        (folders["/secrets/store"] / "pgpass").touch()
    environ = mounted[secret].exchanged_in_the_midst(tmp_path / "programs")
    script = in_folders(first["command"][-1], folders)
    subprocess.run([*first["command"][:-1], script], check=True, env=environ)
    run = folders["/run/cutcard"]
    taken = {path.name: path.read_text() for path in (run / secret).iterdir()}
    assert len(taken) == 3
    assert set(taken.values()) == {"2"}


@every_overlay
def test_a_secret_without_files_stops_the_start(overlay: str, tmp_path: Path) -> None:
    """And does not leave a pod waiting for what never comes."""
    pod = named(overlay, "StatefulSet", "dealer")["spec"]["template"]
    first = pod["spec"]["initContainers"][0]
    folders = {mount["mountPath"]: tmp_path / mount["name"] for mount in first["volumeMounts"]}
    for folder in folders.values():
        folder.mkdir()
    script = in_folders(first["command"][-1], folders)
    ended = subprocess.run([*first["command"][:-1], script], check=False, capture_output=True)
    assert ended.returncode != 0
    assert str(folders["/secrets/keys"]) in ended.stderr.decode()


@every_overlay
def test_a_renewed_certificate_is_put_beside_the_dealer_while_it_runs(
    overlay: str, tmp_path: Path
) -> None:
    """With its key at once, also where both are exchanged in the midst of it."""
    pod = named(overlay, "StatefulSet", "dealer")["spec"]["template"]
    beside = pod["spec"]["initContainers"][1]
    assert beside["restartPolicy"] == "Always"
    folders = {mount["mountPath"]: tmp_path / mount["name"] for mount in beside["volumeMounts"]}
    script = in_folders(beside["command"][-1].replace("sleep 60", "sleep 0.05"), folders)
    mounted = Mounted(folders["/secrets/tls"], "tls.crt", "tls.key", "ca.crt")
    run = folders["/run/cutcard"]
    (run / "tls.first").mkdir(parents=True)
    (run / "tls").symlink_to("tls.first")
    environ = mounted.exchanged_in_the_midst(tmp_path / "programs")
    process = subprocess.Popen([*beside["command"][:-1], script], env=environ)
    try:
        for version in ("2", "3"):
            pair = wait_for_version(run / "tls", version)
            assert pair == {version}
            mounted.have("3")
    finally:
        process.terminate()
        status = process.wait(30)
    assert status == 0
    assert (run / "tls" / "tls.key").stat().st_mode & 0o777 == 0o600
    assert len([path for path in run.iterdir() if not path.is_symlink()]) == 1


def wait_for_version(link: Path, version: str) -> set[str]:
    """Wait until a file behind a link is of a version; give the versions of all of them then."""
    end = time.monotonic() + 30
    while True:
        assert time.monotonic() < end, f"{link} does not become {version!r}"
        with suppress(FileNotFoundError):
            behind = link.resolve()
            found = {path.read_text() for path in behind.iterdir()}
            assert len(found) <= 1, found
            if version in found:
                return found
        time.sleep(0.01)


@every_overlay
def test_a_dealer_starts_only_where_somebody_has_said_whose_word_counts(overlay: str) -> None:
    """On whose behalf a call is made: as it is shipped nobody is believed, and nothing starts."""
    (of,) = [each for each in dealer_container(overlay)["env"] if each["name"] == "CUTCARD_PROXY"]
    reference = of["valueFrom"]["configMapKeyRef"]
    shipped = named(overlay, "ConfigMap", reference["name"])["data"]
    assert shipped == {reference["key"]: UNSAID}
    with pytest.raises(SettingError, match=f"--proxy: give a network.*{UNSAID}"):
        settings_of(environment(overlay) | {"CUTCARD_PROXY": UNSAID})
    said = settings_of(environment(overlay)).limits.proxies
    assert [str(each) for each in said] == PODS.split()
    file = (FOLDER / "overlays" / overlay / "kustomization.yaml").read_text(encoding="utf-8")
    assert f"networks={UNSAID}" in file


@every_overlay
def test_nobody_may_speak_to_anybody_but_by_a_rule(overlay: str) -> None:
    policies = {
        each["metadata"]["name"]: each["spec"] for each in of_kind(overlay, "NetworkPolicy")
    }
    nobody = policies.pop("nobody")
    assert nobody == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    by_label = dict(pods(overlay))
    callers = {}
    for name in ("dealer", "envoy"):
        ports = {port["name"] for port in listening(by_label[name])}
        for rule in policies[name]["ingress"]:
            (port,) = [each["port"] for each in rule["ports"]]
            assert port in ports
            found = [label(each) for each in rule.get("from", ())] or ["anybody"]
            callers[name, port] = found
    assert callers == {
        ("dealer", "grpc"): ["envoy"],
        ("dealer", "metrics"): ["prometheus"],
        ("envoy", "callers"): ["anybody"],
        ("envoy", "collectors"): ["prometheus"],
    }
    store = policies.pop("store", None)
    assert (store is not None) is (overlay == "several")
    if store:
        (who,) = store["podSelector"]["matchExpressions"]
        assert who["values"] == ["dealer", "migrate"]
        assert [each["port"] for each in store["egress"][0]["ports"]] == [5432]
    assert policies.keys() == {"names", "dealer", "envoy"}


def label(peer: Object) -> str:
    """Give whom a rule of a policy is about."""
    return str(peer["podSelector"]["matchLabels"]["app.kubernetes.io/name"])


@every_overlay
def test_envoy_is_the_shipped_one_for_these_nodes(
    overlay: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (FOLDER / "overlays" / overlay / "envoy.yaml").read_text(encoding="utf-8")
    count = named(overlay, "StatefulSet", "dealer")["spec"]["replicas"]
    (command,) = re.findall(r"^# +python deploy/envoy/for_nodes\.py (.*)$", text, re.MULTILINE)
    advertised = settings_of(environment(overlay)).cluster.advertise
    host, port = split_address(advertised)
    expected = {
        f"dealer-{number}": (host.replace("dealer-0", f"dealer-{number}"), port)
        for number in range(count)
    }
    assert read_nodes(command.split()) == expected
    assert envoy_for_nodes(command.split()) == 0
    assert text == capsys.readouterr().out, f"make it anew: for_nodes.py {command}"
    content = next(
        each["data"] for each in of_kind(overlay, "ConfigMap") if "envoy.yaml" in each["data"]
    )
    assert content["envoy.yaml"] == text
    for name in BESIDE:
        assert content[name] == (DEPLOY / "envoy" / name).read_text("utf-8")


@every_overlay
def test_envoys_files_and_ports_are_those_of_its_configuration(overlay: str) -> None:
    pod = dict(pods(overlay))["envoy"]
    (container,) = containers(pod)
    mounts = {each["mountPath"] for each in container["volumeMounts"]}
    text = (FOLDER / "overlays" / overlay / "envoy.yaml").read_text(encoding="utf-8")
    text += "".join((DEPLOY / "envoy" / name).read_text(encoding="utf-8") for name in BESIDE)
    files = {Path(each) for each in re.findall(r"(?:filename|path): (/etc/envoy/[\w./-]+)", text)}
    assert files
    for file in files:
        assert mounts & {file.as_posix(), file.parent.as_posix()}, file
    ports = {port["containerPort"] for port in container["ports"]}
    listeners = yaml.safe_load(text.partition("\n# The certificate")[0])["static_resources"][
        "listeners"
    ]
    assert ports == {each["address"]["socket_address"]["port_value"] for each in listeners}
    assert container["image"] == compose()["services"]["envoy"]["image"]


def test_of_several_dealers_one_at_a_time_may_go_and_none_shares_a_machine() -> None:
    budgets = {each["metadata"]["name"]: each["spec"] for each in of_kind(
        "several", "PodDisruptionBudget")}  # fmt: skip
    by_label = dict(pods("several"))
    for name in ("dealer", "envoy"):
        assert budgets[name]["maxUnavailable"] == 1
        selected = budgets[name]["selector"]["matchLabels"]["app.kubernetes.io/name"]
        assert selected in by_label
    (spread, _) = by_label["dealer"]["spec"]["topologySpreadConstraints"]
    assert spread["topologyKey"] == "kubernetes.io/hostname"
    assert spread["whenUnsatisfiable"] == "DoNotSchedule"
    assert (
        spread["labelSelector"]["matchLabels"].items()
        <= by_label["dealer"]["metadata"]["labels"].items()
    )


def test_migrations_run_as_the_owner_of_the_tables_and_grant_what_compose_grants() -> None:
    job = named("several", "Job", "migrate")["spec"]["template"]["spec"]
    (migrate,) = [each for each in job["initContainers"] if each["name"] == "migrate"]
    assert migrate["args"] == ["migrate"]
    (store,) = [each["valueFrom"]["secretKeyRef"] for each in migrate["env"] if "valueFrom" in each]
    assert store == {"name": "owner-store", "key": "url"}
    grants = FOLDER / "overlays" / "several" / "grants.sql"
    assert grants.read_bytes() == (DEPLOY / "compose/postgres/grants.sql").read_bytes()
    assert job["containers"][0]["image"] == compose()["services"]["grants"]["image"]


@every_overlay
def test_images_are_pinned(overlay: str) -> None:
    images = {each["image"] for _, pod in pods(overlay) for each in containers(pod)}
    for image in images:
        assert re.fullmatch(r"[\w./-]+:v?\d[\w.-]*", image), image
    (own,) = [image for image in images if f"/{IMAGE}:" in image]
    assert own.endswith(f":{version('cutcard')}")
