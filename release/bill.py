"""The bill of materials of a release, in CycloneDX 1.6: what an installed Cutcard rests on.

It is written from the lock of all extras, not from what is installed somewhere, so that it is the
same wherever it is made: each package with its version, where it applies, which extras bring it,
the SHA-256 of every archive of it that may be installed, and who asks for it. Its date is the
release's, and its serial number follows from what it says.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import (
    ExternalReference,
    ExternalReferenceType,
    HashAlgorithm,
    HashType,
    Property,
    XsUri,
)
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from release.lock import PROJECT, Locked

_NO_SERIAL: Final = UUID(int=0)


def write_bill(
    project: Mapping[str, Any],
    locked: Sequence[Locked],
    *,
    archives: Iterable[Path],
    version: str,
    made: datetime,
) -> bytes:
    """Write the bill of `archives`, a release of `version` made at `made`.

    `project` is that table of pyproject.toml, and `locked` the lock of all its extras.
    """
    main = _project(project, archives, version)
    extras = bringing(project, locked)
    components = [_component(entry, extras[entry.name]) for entry in locked]
    bom = Bom(components=components, serial_number=_NO_SERIAL)
    bom.metadata.timestamp = made
    bom.metadata.component = main
    bom.metadata.tools.components.add(this_component())
    by_name = defaultdict(list, {PROJECT: [main]})
    for entry, component in zip(locked, components, strict=True):
        by_name[entry.name].append(component)
    bom.register_dependency(main)
    for entry, component in zip(locked, components, strict=True):
        bom.register_dependency(component)
        for name in entry.asked_by:
            for asking in by_name[name]:
                bom.register_dependency(asking, [component])
    bom.serial_number = UUID(bytes=sha256(_written(bom)).digest()[:16], version=5)
    return _written(bom)


def bringing(
    project: Mapping[str, Any], locked: Iterable[Locked]
) -> dict[NormalizedName, frozenset[str]]:
    """Return which extras bring each locked name; none for what every installation has."""
    needs = defaultdict(set)
    for entry in locked:
        for name in entry.asked_by:
            needs[name].add(entry.name)
    always = _reached(project["dependencies"], project, needs)
    by_extra = {
        extra: _reached(texts, project, needs) - always
        for extra, texts in project["optional-dependencies"].items()
    }
    return {
        entry.name: frozenset(extra for extra, names in by_extra.items() if entry.name in names)
        for entry in locked
    }


def _reached(
    texts: Iterable[str],
    project: Mapping[str, Any],
    needs: Mapping[NormalizedName, set[NormalizedName]],
) -> set[NormalizedName]:
    """Return the names that requirements bring, through however many others."""
    found: set[NormalizedName] = set()
    wanted = [Requirement(text) for text in texts]
    while wanted:
        each = wanted.pop()
        name = canonicalize_name(each.name)
        if name == PROJECT:
            for extra in each.extras:
                wanted += map(Requirement, project["optional-dependencies"][extra])
        elif name not in found:
            found.add(name)
            wanted += map(Requirement, needs.get(name, ()))
    return found


def _project(project: Mapping[str, Any], archives: Iterable[Path], version: str) -> Component:
    return Component(
        type=ComponentType.APPLICATION,
        name=PROJECT,
        version=version,
        bom_ref=PROJECT,
        description=project["description"],
        licenses=[LicenseExpression(project["license"])],
        purl=PackageURL("pypi", name=PROJECT, version=version),
        external_references=[
            _distribution(path.name, [sha256(path.read_bytes()).hexdigest()]) for path in archives
        ],
    )


def _component(entry: Locked, extras: frozenset[str]) -> Component:
    purl = PackageURL("pypi", name=entry.name, version=entry.version)
    properties = [Property(name="cutcard:extra", value=extra) for extra in extras]
    if entry.requirement.marker is not None:
        marker = str(entry.requirement.marker)
        properties.append(Property(name="cutcard:marker", value=marker))
    return Component(
        type=ComponentType.LIBRARY,
        name=entry.name,
        version=entry.version,
        bom_ref=f"{entry.name}@{entry.version}",
        purl=purl,
        external_references=[_distribution(purl.to_string(), entry.hashes)],
        properties=properties,
    )


def _distribution(address: str, hashes: Iterable[str]) -> ExternalReference:
    return ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(address),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in hashes],
    )


def _written(bom: Bom) -> bytes:
    value = json.loads(JsonV1Dot6(bom).output_as_string())
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"
