"""One file from many modules, under a policy that lets nothing in and nothing out."""

import base64
import hashlib
import json
import re

import pytest

from audit_cli.page.assembling import (
    AssemblyError,
    Embedded,
    assemble,
    bundle,
    policy_of,
    read_sources,
)

TEMPLATE = "{{policy}}|<style>{{styles}}</style>|{{main}}|{{worker}}|{{embedded}}"


def hash_of(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_a_module_stands_behind_those_that_it_imports_and_each_stands_once() -> None:
    sources = {
        "main.js": 'import {b} from "./deep/b.js";\nimport {c} from "./c.js";\nb(c);\n',
        "deep/b.js": 'import {c} from "../c.js";\nexport const b = (x) => x + c;\n',
        "c.js": "export const c = 1;\n",
    }
    script = bundle(sources, "main.js")
    assert script.index("const c = 1") < script.index("const b =") < script.index("b(c);")
    assert script.count("const c = 1") == 1
    assert not re.search(r"^(import|export)", script, re.MULTILINE)


def test_what_a_module_does_not_export_is_its_own() -> None:
    sources = {
        "main.js": 'import {\n  a,\n} from "./a.js";\nconst same = 2;\n',
        "a.js": "const same = 1;\nexport async function a() {}\nexport class B {}\n",
    }
    script = bundle(sources, "main.js")
    assert "const module0 = (() => {\nconst same = 1;" in script
    assert "return Object.freeze({a, B});" in script
    assert "const {a} = module0;\nconst same = 2;" in script


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({"main.js": 'import {x} from "./gone.js";\n'}, "imports gone.js, which is not there"),
        (
            {"main.js": 'import {x} from "./a.js";\n', "a.js": "const x = 1;\n"},
            "imports x, which a.js does not export",
        ),
        (
            {
                "main.js": 'import {a} from "./a.js";\n',
                "a.js": 'import {b} from "./b.js";\nexport const a = 1;\n',
                "b.js": 'import {a} from "./a.js";\nexport const b = 1;\n',
            },
            "a.js imports itself, by way of b.js",
        ),
        ({"main.js": 'import * as all from "./a.js";\n'}, "not to be put together: import *"),
        ({"main.js": "export default 1;\n"}, "not to be put together: export default"),
        ({"main.js": "export {a};\n"}, "not to be put together: export {a}"),
        ({"main.js": 'const a = "</script>";\n'}, "the tag of a script"),
    ],
)
def test_what_would_mean_another_thing_in_one_script_is_refused(
    sources: dict[str, str], words: str
) -> None:
    with pytest.raises(AssemblyError, match=re.escape(words)):
        bundle(sources, "main.js")


def test_the_policy_allows_the_files_own_script_and_styles_and_nothing_else() -> None:
    policy = policy_of("alert(1)", "p {}")
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hash_of('alert(1)')}'; worker-src blob:; "
        f"style-src 'sha256-{hash_of('p {}')}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_an_embedded_game_can_not_leave_its_element() -> None:
    sources = {"index.html": TEMPLATE, "main.js": "", "worker.js": "", "a.css": "p {}"}
    hostile = Embedded("</script><script>alert(1)</script>.jsonl", b"</script>\xff", "k")
    told = assemble(sources, hostile).split("|")[-1]
    assert "<" not in told
    read = json.loads(told)
    assert read["name"] == hostile.name
    assert base64.b64decode(read["data"]) == hostile.data
    assert read["key"] == "k"


def test_a_slot_of_the_template_that_is_none_is_refused() -> None:
    sources = {"index.html": "{{worse}}", "main.js": "", "worker.js": ""}
    with pytest.raises(AssemblyError, match="worse"):
        assemble(sources)


def test_the_page_asks_for_nothing_from_anywhere() -> None:
    page = assemble(read_sources())
    tags = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", r"<\1>", page, flags=re.DOTALL)
    assert not re.search(
        r"\b(src|href|action|poster|data|style|on\w+)\s*=\s*[\"']?+(?!#|data:)", tags
    )
    assert "{{" not in tags
    styles = re.findall(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    assert len(styles) == 1
    assert not re.search(r"@import|url\((?![\"']?data:)", styles[0])


def test_the_page_is_the_same_each_time() -> None:
    assert assemble(read_sources()) == assemble(read_sources())
