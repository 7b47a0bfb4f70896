"""Both bills of materials have the shape of their standards, and say the same."""

import json
import re
from typing import Any

import pytest

from audit_cli.rng.certify.components import ALGORITHMS, Component, Inventory
from audit_cli.rng.certify.cyclonedx import write_cyclonedx
from audit_cli.rng.certify.spdx import write_spdx

MADE = "2026-01-01T00:00:00Z"
INVENTORY = Inventory(
    (
        Component("cutcard", "0.1.0", "Apache-2.0", "a dealer", ("cryptography", "python"), "ab"),
        Component("cryptography", "50.0", "Apache-2.0 OR BSD-3-Clause", "", ("openssl",), "cd", 3),
        Component("openssl", "3.5.1", "Apache-2.0", "", (), distribution=False),
        Component("python", "3.11.2", "PSF-2.0", "", (), distribution=False),
    )
)
# Words that the schema of CycloneDX 1.6 allows.
PRIMITIVES = {"drbg", "mac", "block-cipher", "signature", "hash", "kdf"}
FUNCTIONS = {"generate", "encrypt", "digest", "tag", "keyderive", "sign", "verify"}


@pytest.fixture(scope="module")
def cyclonedx() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(write_cyclonedx(INVENTORY, MADE, "0.1.0"))
    return value


@pytest.fixture(scope="module")
def spdx() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(write_spdx(INVENTORY, MADE, "0.1.0"))
    return value


def test_cyclonedx_names_its_format_and_is_dated(cyclonedx: dict[str, Any]) -> None:
    assert (cyclonedx["bomFormat"], cyclonedx["specVersion"]) == ("CycloneDX", "1.6")
    assert cyclonedx["metadata"]["timestamp"] == MADE
    pattern = r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(pattern, cyclonedx["serialNumber"])


def test_cyclonedx_refers_to_nothing_that_it_does_not_list(cyclonedx: dict[str, Any]) -> None:
    listed = [each["bom-ref"] for each in cyclonedx["components"]]
    listed.append(cyclonedx["metadata"]["component"]["bom-ref"])
    assert len(listed) == len(set(listed))
    for one in cyclonedx["dependencies"]:
        assert {one["ref"], *one["dependsOn"], *one.get("provides", [])} <= set(listed)


def test_cyclonedx_lists_the_cryptography_and_who_provides_it(cyclonedx: dict[str, Any]) -> None:
    assets = [each for each in cyclonedx["components"] if each["type"] == "cryptographic-asset"]
    assert {each["name"] for each in assets} == {each.name for each in ALGORITHMS}
    assert {"AES-256-CTR", "CTR_DRBG-AES-256", "HKDF-SHA-256", "Ed25519"} <= {
        each["name"] for each in assets
    }
    for each in assets:
        properties = each["cryptoProperties"]
        about = properties["algorithmProperties"]
        assert properties["assetType"] == "algorithm"
        assert about["primitive"] in PRIMITIVES
        assert set(about["cryptoFunctions"]) <= FUNCTIONS
        assert 0 <= about["nistQuantumSecurityLevel"] <= 6
    provided = [ref for one in cyclonedx["dependencies"] for ref in one.get("provides", [])]
    assert sorted(provided) == sorted(each["bom-ref"] for each in assets)


def test_spdx_names_its_format_and_what_it_describes(spdx: dict[str, Any]) -> None:
    assert (spdx["spdxVersion"], spdx["dataLicense"]) == ("SPDX-2.3", "CC0-1.0")
    assert spdx["SPDXID"] == "SPDXRef-DOCUMENT"
    assert spdx["creationInfo"] == {"created": MADE, "creators": ["Tool: cutcard-audit-0.1.0"]}
    assert spdx["documentDescribes"] == ["SPDXRef-Package-cutcard"]
    assert re.fullmatch(r"urn:cutcard:spdx:[0-9a-f]{64}", spdx["documentNamespace"])


def test_spdx_relates_only_what_it_lists(spdx: dict[str, Any]) -> None:
    listed = {each["SPDXID"] for each in spdx["packages"]} | {"SPDXRef-DOCUMENT"}
    for one in spdx["relationships"]:
        assert {one["spdxElementId"], one["relatedSpdxElement"]} <= listed
    for each in spdx["packages"]:
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each["SPDXID"])
        assert {"name", "versionInfo", "downloadLocation", "licenseDeclared"} <= each.keys()


def test_both_list_the_same_software_and_edges(
    cyclonedx: dict[str, Any], spdx: dict[str, Any]
) -> None:
    software = [cyclonedx["metadata"]["component"], *cyclonedx["components"]]
    one = {
        (each["name"], each["version"])
        for each in software
        if each["type"] != "cryptographic-asset"
    }
    assert one == {(each["name"], each["versionInfo"]) for each in spdx["packages"]}
    edges = {
        (each["ref"].rpartition("/")[2], ref.rpartition("/")[2])
        for each in cyclonedx["dependencies"]
        for ref in each["dependsOn"]
    }
    assert edges == {
        (
            each["spdxElementId"].removeprefix("SPDXRef-Package-"),
            each["relatedSpdxElement"].removeprefix("SPDXRef-Package-"),
        )
        for each in spdx["relationships"]
        if each["relationshipType"] == "DEPENDS_ON"
    }


def test_the_same_software_gives_the_same_bytes() -> None:
    again = Inventory(INVENTORY.components)
    assert write_cyclonedx(again, MADE, "1") == write_cyclonedx(INVENTORY, MADE, "1")
    assert write_spdx(again, MADE, "1") == write_spdx(INVENTORY, MADE, "1")
