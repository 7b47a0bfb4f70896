# Sets itself up on a machine with make and Python 3.11 or later: `make demo`, `make test`.
# The environment is .venv, from the locked and hashed lists in requirements/.

PYTHON ?= python3
UV ?= uv
# One more than two cores have: many tests wait.
WORKERS ?= 3

VENV := .venv
BIN := $(VENV)/bin
TOOLS := $(VENV)/tools
DEPLOY := $(VENV)/deploy
READY := $(VENV)/.ready
STUBS := $(VENV)/.stubs
# How exposed the unit may be, by systemd-analyze: 12 is 1.2 of 10.
EXPOSURE := 12
PIP_INSTALL := -m pip --disable-pip-version-check install --quiet

PROTOS := $(shell find proto/cutcard -name '*.proto')
RELEASED := proto/released.binpb
GENERATED := $(PROTOS:.proto=_pb2.py) $(PROTOS:.proto=_pb2.pyi) \
             $(PROTOS:.proto=_pb2_grpc.py) $(PROTOS:.proto=_pb2_grpc.pyi)

.PHONY: help setup stubs demo test nightly flaws lint lint-deploy lint-web browser-client format bench chaos soak docs cases hands dist clean-room lock release-contract clean

help:
	@echo 'make demo              have house players play a game and two tournaments, and audit each'
	@echo 'make test              run every test (ARGS="-k name" passes options to pytest)'
	@echo 'make nightly           20,000 hands beside PokerKit, 1,000 sequences of good bits, 2,000 tournaments'
	@echo 'make flaws             have the battery find every planted flaw, and judge 200 clean runs'
	@echo 'make lint              ruff, mypy, buf, import-linter'
	@echo 'make lint-deploy       look at all of deploy/ with the tools that read it'
	@echo 'make lint-web          eslint and tsc over the browser client and the page of the audit'
	@echo 'make browser-client    build and test the client for browsers'
	@echo 'make format            let ruff and buf rewrite the sources'
	@echo 'make bench             measure, print a table, write bench.json'
	@echo 'make chaos             hundreds of faults thrown at whole games (ARGS="--quick")'
	@echo 'make soak              500 tables for ten minutes (ARGS="--tables 20 --minutes 1")'
	@echo 'make docs              write docs/commands.md anew, from the commands'
	@echo 'make cases CASES=FILE  run a file of rule cases'
	@echo 'make hands HANDS=FILE  replay a file of hand histories'
	@echo 'make stubs             generate the gRPC stubs'
	@echo 'make dist              build the wheel and the source archive, with their bill of materials'
	@echo 'make clean-room        run the README'"'"'s commands where there is nothing (ARGS="--only '"'make demo'"'")'
	@echo 'make release-contract  keep the contract as it is now as the released one'
	@echo 'make lock              refresh requirements/ (needs uv)'
	@echo 'make clean             remove all that make made'

setup: $(READY) $(STUBS)

stubs: $(STUBS)

demo: setup
	@$(BIN)/python -m dealer_service demo --directory demo

# Compiled once for the hundreds of processes that the tests start, and for those that run them, also
# where the environment keeps Python from writing bytecode.
test: setup
	@$(BIN)/python -m compileall -q dealer_service audit_cli proto/cutcard release \
	  tests/support tests/bench tests/chaos tests/runners tests/soak
	@$(BIN)/python -m tests.runners.ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

nightly: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m night $(ARGS)
	CUTCARD_POKERKIT_HANDS=20000 \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/rules/test_pokerkit.py $(ARGS)
	CUTCARD_RAW_SEQUENCES=1000 \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/rng/test_rng_raw.py $(ARGS)
	CUTCARD_TOURNAMENTS=2000 CUTCARD_LEVEL_MINUTES=15 \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/rules/tournament $(ARGS)
	CUTCARD_EVENT_PLAYERS=180 CUTCARD_EVENTS=60 \
	  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/bots $(ARGS)
	CUTCARD_FUZZED=60 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal \
	  tests/audit/test_tampering_fuzz.py tests/browser/test_page_agrees.py \
	  tests/audit/test_audit_workers.py tests/audit/test_audit_random_hands.py \
	  tests/audit/tournament/test_event_mutations.py tests/client/test_verifier.py \
	  tests/told/test_told_fuzz.py $(ARGS)
	CUTCARD_EXAMPLES=500 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/contract \
	  tests/fairness tests/transcript tests/tables/test_lines.py tests/audit/test_audit_transcript_line.py $(ARGS)

flaws: setup
	@$(BIN)/python -m audit_cli rng selftest --flaws all --clean 200 $(ARGS)

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy dealer_service audit_cli tests release deploy hatch_build.py
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking --against $(RELEASED)
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory lint-web

# Without Node.js it is left out, and says so; with CI=true that fails.
lint-web: setup
	@command -v npm >/dev/null || { \
	  echo 'lint-web: npm is missing (Debian: nodejs, npm), it is left out' >&2; test "$$CI" != true; exit; }; \
	$(BIN)/python -m tests.runners.browser_client && cd browser_client \
	  && echo 'eslint and tsc: browser_client, audit_cli/page/web' \
	  && npm run --silent lint && npm run --silent lint:audit-page

browser-client: setup
	@$(BIN)/python -m tests.runners.browser_client
	cd browser_client && npm test

# A program of Debian's that is missing leaves its checks out, and says so; with CI=true that fails.
WITHOUT = command -v $(1) >/dev/null || { \
  echo 'lint-deploy: $(1) is missing (Debian: $(2)), its checks are left out' >&2; test "$$CI" != true; exit; }

lint-deploy: setup $(DEPLOY)/.ready
	$(DEPLOY)/bin/yamllint --strict deploy
	$(DEPLOY)/bin/hadolint --failure-threshold info deploy/container/Dockerfile
	$(DEPLOY)/bin/python -m tests.runners.compose deploy/compose/*.yaml
	@# Docker's own client, where it is there; it needs no engine for this.
	@! docker compose version >/dev/null 2>&1 \
	  || docker compose --file deploy/compose/compose.yaml --profile setup config --quiet
	@for overlay in deploy/kubernetes/overlays/*/; do \
	  echo "kubectl kustomize $$overlay | kubernetes-validate --strict"; \
	  $(DEPLOY)/bin/kubectl kustomize $$overlay >$(DEPLOY)/rendered.yaml \
	    && $(DEPLOY)/bin/kubernetes-validate --strict --quiet $(DEPLOY)/rendered.yaml || exit 1; \
	done
	$(DEPLOY)/bin/kubernetes-validate --strict --quiet deploy/kubernetes/volume.yaml
	$(BIN)/python -m tests.runners.envoy deploy/envoy/envoy.yaml deploy/kubernetes/overlays/*/envoy.yaml
	@$(call WITHOUT,promtool,prometheus); cd deploy/prometheus \
	  && echo 'promtool check config, and test rules' \
	  && promtool check config prometheus.yaml >/dev/null && promtool test rules alerts_test.yaml >/dev/null
	@$(call WITHOUT,systemd-analyze,systemd); mkdir -p $(DEPLOY)/unit \
	  && sed 's#/opt/cutcard/bin/#$(CURDIR)/$(BIN)/#' deploy/systemd/cutcard-dealer.service >$(DEPLOY)/unit/cutcard-dealer.service \
	  && echo 'systemd-analyze verify, and security at most $(EXPOSURE) of 100' \
	  && systemd-analyze verify --man=no $(DEPLOY)/unit/cutcard-dealer.service \
	  && systemd-analyze security --no-pager --offline=true --threshold=$(EXPOSURE) \
	    $(DEPLOY)/unit/cutcard-dealer.service >$(DEPLOY)/unit/security \
	  || { cat $(DEPLOY)/unit/security >&2; exit 1; }

# What a release promises: `make lint` refuses a contract that breaks it.
release-contract: setup
	$(BIN)/buf lint
	$(BIN)/buf breaking --against $(RELEASED)
	$(BIN)/buf build --exclude-source-info --output $(RELEASED)

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/buf format --write

bench: setup
	@$(BIN)/python -m tests.bench

chaos: setup
	@$(BIN)/python -m tests.chaos $(ARGS)

soak: setup
	@$(BIN)/python -m tests.soak $(ARGS)

# Every help text, as a document.
docs: setup
	@$(BIN)/python -m tests.support.command_texts

cases: setup
	@test -n '$(CASES)' || { echo 'name the file: make cases CASES=FILE' >&2; exit 2; }
	@$(BIN)/python -m tests.runners.cases '$(CASES)'

hands: setup
	@test -n '$(HANDS)' || { echo 'name the file: make hands HANDS=FILE' >&2; exit 2; }
	@$(BIN)/python -m tests.runners.hands '$(HANDS)'

# The checked-out commit, built twice and compared.
dist: setup
	@$(BIN)/python -m release

# The README's commands, in a new Debian or an empty folder.
clean-room:
	@.ci/clean-room $(ARGS)

# The stub generator has an environment of its own: being the oldest that we support, it asks for
# an older protobuf than the one that the service runs on.
$(READY): requirements/dev.txt requirements/build.txt pyproject.toml hatch_build.py audit_cli/__init__.py
	@test -x $(BIN)/pip \
	  || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo 'cutcard needs Python 3.11 or later, and $(PYTHON) is missing or older:' \
	    'name another, as in make PYTHON=python3.12' >&2; exit 1; }
	@echo 'Setting up $(VENV) …'
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@test -x $(TOOLS)/bin/pip || $(BIN)/python -m venv $(TOOLS)
	@$(TOOLS)/bin/python $(PIP_INSTALL) --require-hashes --requirement requirements/build.txt
	@$(BIN)/python $(PIP_INSTALL) --require-hashes --requirement requirements/dev.txt
	@$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# Tools that read deploy/, and share nothing with the project.
$(DEPLOY)/.ready: $(READY) requirements/deploy.txt
	@test -x $(DEPLOY)/bin/pip || $(BIN)/python -m venv $(DEPLOY)
	@$(DEPLOY)/bin/python $(PIP_INSTALL) --require-hashes --requirement requirements/deploy.txt
	@touch $@

# A missing stub is made and one without its .proto removed, whatever the stamp says.
ifneq ($(sort $(GENERATED)),$(sort $(shell find proto/cutcard -name '*_pb2*.py' -o -name '*_pb2*.pyi')))
.PHONY: $(STUBS)
endif
$(STUBS): $(READY) $(PROTOS)
	@$(BIN)/python hatch_build.py
	@touch $@

UV_COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
              --no-header --no-annotate --no-emit-index-url --upgrade

lock:
	@command -v $(UV) >/dev/null || { echo 'make lock needs uv: install it, or UV=PATH' >&2; exit 1; }
	$(UV_COMPILE) pyproject.toml --extra dealer --extra postgres --extra hsm --extra trace --extra fast --extra dask --extra beacon --group dev --output-file requirements/dev.txt
	sed -n '/^requires = \[/,/^\]/s/^  "\(.*\)",$$/\1/p' pyproject.toml \
	  | $(UV_COMPILE) - --output-file requirements/build.txt
	$(UV_COMPILE) pyproject.toml --all-extras --annotate --constraint requirements/dev.txt \
	  --output-file requirements/runtime.txt
	$(UV_COMPILE) pyproject.toml --extra dealer --extra postgres --extra hsm --extra trace --extra beacon \
	  --constraint requirements/dev.txt --output-file requirements/dealer.txt
	$(UV_COMPILE) --group deploy --output-file requirements/deploy.txt

clean:
	rm -rf browser_client/node_modules browser_client/dist browser_client/src/generated
	rm -rf $(VENV) build dist demo bench.json .hypothesis .import_linter_cache .mypy_cache \
	  .pytest_cache .ruff_cache
	find proto/cutcard -name '*_pb2*.py*' -delete
	find audit_cli dealer_service proto tests -name __pycache__ -type d -prune -exec rm -rf {} +
