"""The bill of materials in SPDX 2.3 (JSON)."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.writing import json_bytes

if TYPE_CHECKING:
    from audit_cli.rng.certify.components import Component, Inventory

DOCUMENT: Final = "SPDXRef-DOCUMENT"
_NOTHING: Final = "NOASSERTION"


def write_spdx(inventory: Inventory, made: str, program: str) -> bytes:
    """Return the document, dated `made`; its namespace follows from what it says."""
    project = inventory.project
    packages = [_package(each) for each in inventory.components]
    relationships = [_relate(DOCUMENT, "DESCRIBES", identifier(project.name))]
    for component in inventory.components:
        relationships += [
            _relate(identifier(component.name), "DEPENDS_ON", identifier(name))
            for name in sorted(component.needs)
        ]
    body: dict[str, Any] = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": DOCUMENT,
        "name": f"{project.name}-{project.version}",
        "creationInfo": {"created": made, "creators": [f"Tool: cutcard-audit-{program}"]},
        "documentDescribes": [identifier(project.name)],
        "packages": packages,
        "relationships": relationships,
    }
    digest = sha256(json_bytes(body)).hexdigest()
    body["documentNamespace"] = f"urn:cutcard:spdx:{digest}"
    return json_bytes(body)


def identifier(name: str) -> str:
    """Return the SPDX identifier of a package."""
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def _relate(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _package(component: Component) -> dict[str, Any]:
    licence = component.licence or _NOTHING
    written: dict[str, Any] = {
        "SPDXID": identifier(component.name),
        "name": component.name,
        "versionInfo": component.version,
        "downloadLocation": _NOTHING,
        "filesAnalyzed": False,
        "licenseConcluded": _NOTHING,
        "licenseDeclared": licence,
        "copyrightText": _NOTHING,
    }
    if component.summary:
        written["summary"] = component.summary
    if component.distribution:
        written["externalRefs"] = [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:pypi/{component.name}@{component.version}",
            }
        ]
    if component.record:
        written["comment"] = f"SHA-256 of the installed RECORD: {component.record}"
    return written
