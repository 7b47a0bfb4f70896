"""The bill of materials in CycloneDX 1.6 (ECMA-424, first edition), with cryptographic assets."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from audit_cli.rng.certify.components import Algorithm, Component, Inventory

_KINDS: Final = {"python": "platform", "openssl": "library"}


def write_cyclonedx(inventory: Inventory, made: str, program: str) -> bytes:
    """Return the document, dated `made`; its serial number follows from what it says."""
    project = inventory.project
    body: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": made,
            "component": _component(project, "application"),
            "tools": {
                "components": [{"type": "application", "name": "cutcard-audit", "version": program}]
            },
        },
        "components": [
            *(_component(each) for each in inventory.components[1:]),
            *(_asset(each) for each in inventory.algorithms),
        ],
        "dependencies": _dependencies(inventory),
    }
    body["serialNumber"] = f"urn:uuid:{UUID(bytes=_digest(body), version=5)}"
    return json_bytes(body)


def reference(name: str) -> str:
    """Return how the document refers to a component (`bom-ref`)."""
    return f"component/{name}"


def _asset_reference(algorithm: Algorithm) -> str:
    return f"crypto/{algorithm.name}"


def _digest(body: object) -> bytes:
    return sha256(json_bytes(body)).digest()[:16]


def _component(component: Component, kind: str = "") -> dict[str, Any]:
    written: dict[str, Any] = {
        "type": kind or _KINDS.get(component.name, "library"),
        "bom-ref": reference(component.name),
        "name": component.name,
        "version": component.version,
    }
    if component.summary:
        written["description"] = component.summary
    if component.licence:
        written["licenses"] = [{"expression": component.licence}]
    if component.distribution:
        written["purl"] = f"pkg:pypi/{component.name}@{component.version}"
    if component.record:
        written["properties"] = [
            {"name": "cutcard:record-sha256", "value": component.record},
            {"name": "cutcard:record-files", "value": str(component.listed)},
            {"name": "cutcard:record-wrong", "value": str(len(component.wrong))},
        ]
    return written


def _asset(algorithm: Algorithm) -> dict[str, Any]:
    about: dict[str, Any] = {
        "primitive": algorithm.primitive,
        "parameterSetIdentifier": algorithm.parameter,
        "executionEnvironment": "software-plain-ram",
        "implementationPlatform": "generic",
        "certificationLevel": ["none"],
        "cryptoFunctions": list(algorithm.functions),
        "classicalSecurityLevel": algorithm.strength,
        "nistQuantumSecurityLevel": algorithm.quantum,
    }
    if algorithm.mode:
        about["mode"] = algorithm.mode
    if algorithm.curve:
        about["curve"] = algorithm.curve
    properties: dict[str, Any] = {"assetType": "algorithm", "algorithmProperties": about}
    if algorithm.oid:
        properties["oid"] = algorithm.oid
    return {
        "type": "cryptographic-asset",
        "bom-ref": _asset_reference(algorithm),
        "name": algorithm.name,
        "description": f"{algorithm.use} ({algorithm.standard})",
        "cryptoProperties": properties,
    }


def _dependencies(inventory: Inventory) -> list[dict[str, Any]]:
    listed = []
    for component in inventory.components:
        one: dict[str, Any] = {
            "ref": reference(component.name),
            "dependsOn": sorted(reference(name) for name in component.needs),
        }
        if component is inventory.project:
            # The generator itself is the project's; the algorithms beneath it are OpenSSL's.
            one["provides"] = ["crypto/CTR_DRBG-AES-256", "crypto/HKDF-SHA-256"]
        elif component.name == "openssl":
            own = {"CTR_DRBG-AES-256", "HKDF-SHA-256"}
            one["provides"] = [
                _asset_reference(each) for each in inventory.algorithms if each.name not in own
            ]
        listed.append(one)
    return listed
