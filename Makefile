# make run      builds and serves the demo on http://127.0.0.1:8080
# make test     builds and runs all tests
# make test-sanitize  builds and runs all tests under the address sanitizer, then under the thread sanitizer
# make fuzz     runs every fuzz target for SECONDS_EACH seconds (30), or those in TARGETS
# make build    debug build
# make release  optimised build with the Swift runtime inside
# make lint     style check; make format puts right what it can
# make image    container image, with docker or buildah
# make image-check  builds it with base images made here, and tries it; as root, without docker
# make bench    measures the release build beside nginx and beside PySNC, what an instance that is down costs its callers,
#               what slow peers cost the others, and what sessions cost in memory, in a file and in Redis
#
# Each target does its own set-up on Debian 12; only the Swift toolchain has to be there.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

BUILD_PACKAGES := g++ pkg-config libmicrohttpd-dev libcurl4-openssl-dev libuv1-dev libsimdjson-dev libsqlite3-dev libhiredis-dev
TEST_PACKAGES := $(BUILD_PACKAGES) curl openssl python3 python3-venv libmagic1 nginx-light redis-server util-linux chromium
IMAGE_CHECK_PACKAGES := buildah debootstrap curl iproute2
BENCH_PACKAGES := $(BUILD_PACKAGES) nginx-light openssl python3 python3-venv redis-server wrk

RELEASE := -c release --static-swift-stdlib
IMAGE ?= paginatord
BUILDER_BASE ?= docker.io/library/swift:6.3-bookworm
RUNTIME_BASE ?= docker.io/library/debian:bookworm-slim
# Where Tests/PublicClients/prepare has put it.
VALKEY_SERVER = $$(find "$(CURDIR)/.build/public-clients" -name valkey-server -type f)
SOURCES := Package.swift Sources Tests Fuzzing

# Installs those of the packages that are missing.
define install
	@if command -v dpkg-query >/dev/null; then \
	  missing=""; \
	  installed="$$(dpkg-query -W -f '$${db:Status-Status} $${Package}\n' $(1) 2>/dev/null || true)"; \
	  for package in $(1); do \
	    grep -qxF "installed $$package" <<<"$$installed" || missing="$$missing $$package"; \
	  done; \
	  if [ -n "$$missing" ]; then \
	    echo "installing$$missing"; \
	    sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    $$sudo apt-get update -q </dev/null; \
	    $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing </dev/null; \
	  fi; \
	else \
	  echo "this is no Debian; needed are the equivalents of: $(1)" >&2; \
	fi
endef

define need-swift
	@command -v swift >/dev/null || { \
	  echo "there is no swift on PATH: install Swift 6.3 (https://www.swift.org/install/linux/) and add its usr/bin to PATH" >&2; \
	  exit 1; }
endef

# Runs tests that are built, with arguments, into a log, with variables; what failed stands at the end once more.
define run-tests
	@$(3) swift test --skip-build --no-parallel $(1) 2>&1 | tee $(2) || { \
	  echo; echo "what failed, once more (all of it: $(2)):"; \
	  grep -aE -A 3 'recorded an issue|Fatal error|Swift runtime failure|exited with' $(2) | tail -n 200; \
	  exit 1; }
endef

.PHONY: run test test-sanitize fuzz build release lint format image image-check bench

run:
	$(need-swift)
	$(call install,$(BUILD_PACKAGES))
	swift build --product paginatord
	exec "$$(swift build --show-bin-path)/paginatord" serve --demo $(ARGUMENTS)

test:
	$(need-swift)
	$(call install,$(TEST_PACKAGES))
	Tests/PublicClients/prepare
	swift build --build-tests
	$(call run-tests,,.build/tests.log)
	@echo "once more, with Valkey in the place of Redis:"
	$(call run-tests,--filter RedisSessionsTests,.build/tests-valkey.log,REDIS_SERVER="$(VALKEY_SERVER)")

test-sanitize:
	$(need-swift)
	$(call install,$(TEST_PACKAGES))
	Tests/PublicClients/prepare
	Tests/Sanitizers/run address
	Tests/Sanitizers/run thread

fuzz:
	$(need-swift)
	$(call install,$(BUILD_PACKAGES))
	Fuzzing/run $(TARGETS)

build:
	$(need-swift)
	$(call install,$(BUILD_PACKAGES))
	swift build

release:
	$(need-swift)
	$(call install,$(BUILD_PACKAGES))
	swift build $(RELEASE) --product paginatord
	@echo "$$(swift build $(RELEASE) --show-bin-path)/paginatord"

lint:
	$(need-swift)
	swift format lint --strict --recursive $(SOURCES)
	@! grep -rnE '\b(try|as)!|\bfatalError\(' Sources --include='*.swift' || { echo "not in Sources, please" >&2; exit 1; }

format:
	$(need-swift)
	swift format --in-place --recursive $(SOURCES)

# The format that knows HEALTHCHECK is docker's.
image:
	@if [ -n "$(IMAGE_BUILDER)" ]; then build="$(IMAGE_BUILDER)"; \
	elif docker info >/dev/null 2>&1; then build="docker build"; \
	elif command -v buildah >/dev/null; then build="buildah bud --format docker"; \
	else echo "neither a running docker nor buildah is here (apt-get install buildah)" >&2; exit 1; fi; \
	set -x; $$build $(IMAGE_OPTIONS) --build-arg BUILDER_BASE=$(BUILDER_BASE) --build-arg RUNTIME_BASE=$(RUNTIME_BASE) \
	  -t $(IMAGE) .

image-check:
	$(need-swift)
	$(call install,$(IMAGE_CHECK_PACKAGES))
	Tests/image/check $(ARGUMENTS)

bench: release
	$(call install,$(BENCH_PACKAGES))
	Benchmarks/run --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord" $(ARGUMENTS)
	Benchmarks/outage --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord"
	Benchmarks/read-ahead --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord"
	Benchmarks/slow-peers --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord"
	Benchmarks/sessions --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord"
	Benchmarks/redis --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord"
	Tests/PublicClients/prepare
	Benchmarks/export --binary "$$(swift build $(RELEASE) --show-bin-path)/paginatord"
