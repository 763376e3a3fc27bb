# Every job needs Go, git and make. test-race also needs gcc. Tools are built from the pinned modules under tools/.

GO       ?= go
FUZZTIME ?= 30s
BENCH    ?= .
BIN      := $(CURDIR)/tools/bin

# What takes longest begins first, or a core has nothing to do at the end. No package is tested twice.
TESTED := ./serve ./...

# The Prometheus of Debian 12: the oldest that nasight is tested with.
DEBIAN_PROMETHEUS := 2.42

.PHONY: help
help: ## list the jobs
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: build
build: ## build the static programs into bin/; RELEASE=v1.2.3 names a release
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.release=$(RELEASE)' -o bin/ ./cmd/...

.PHONY: test
test: ## run the tests; needs Go alone
	@# The corpus alone takes five minutes on two cores; a machine that does other things as well may need twice that.
	$(GO) test -timeout 20m $(TESTED)

.PHONY: test-race
test-race: ## run the tests under the race detector; needs gcc
	@# One package has ten minutes by default; on two busy cores the race detector takes longer for the longest.
	CGO_ENABLED=1 $(GO) test -race -timeout 25m $(TESTED)

.PHONY: test-servers
test-servers: servers ## run the programs against real servers and tools; needs Debian's chromium for the printed report
	PATH="$(BIN):$$PATH" $(GO) test -count=1 -timeout 20m -tags servers ./test/servers/...

.PHONY: bench
bench: ## run the benchmarks; BENCH=REGEXP chooses
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: bench-nab
bench-nab: ## score the anomaly baseline on the Numenta corpus; NAB=PATH names its directory or tar.gz
	@test -n "$(NAB)" || { echo "make bench-nab NAB=PATH: PATH is a clone of https://github.com/numenta/NAB or a tar.gz of its data/ and labels/" >&2; exit 2; }
	NAB="$(abspath $(NAB))" $(GO) test -count=1 -run '^TestBenchmark$$' -v ./baseline/nab

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	tools/fuzz $(FUZZTIME)

.PHONY: fmt-check
fmt-check: ## fail if a file is not gofmt clean
	@odd=$$(gofmt -l .) && test -z "$$odd" || { echo "not gofmt clean:" $$odd >&2; exit 1; }

.PHONY: vet
vet: ## run go vet, on the server tests too
	$(GO) vet -tags servers ./...
	$(GO) -C tools/otelcol vet ./...

.PHONY: windows
windows: ## build and vet for Windows, which nothing here runs on
	for arch in amd64 arm64; do \
		GOOS=windows GOARCH=$$arch CGO_ENABLED=0 $(GO) build ./... && GOOS=windows GOARCH=$$arch CGO_ENABLED=0 $(GO) vet ./... || exit 1; \
	done

.PHONY: lint
lint: fmt-check vet linters ## run gofmt, go vet and golangci-lint
	$(BIN)/golangci-lint run ./...
	cd tools/otelcol && $(BIN)/golangci-lint run --config=../../.golangci.yml ./...

.PHONY: generate
generate: ## write the generated files anew
	$(GO) generate ./...

.PHONY: dashboards
dashboards: ## write the Grafana dashboards anew
	$(GO) generate ./dashboards

.PHONY: generate-check
generate-check: ## fail if a generated file is out of date
	@# docs/evaluation.md takes minutes to compute; the test of ./evaluate that plays the corpus compares it with what it computes.
	tools/drift $(GO) generate $$($(GO) list ./... | grep -v '/evaluate$$')

.PHONY: tidy-check
tidy-check: ## fail if a go.mod or go.sum is not tidy
	$(GO) mod tidy -diff
	$(GO) -C tools/lint mod tidy -diff
	$(GO) -C tools/servers mod tidy -diff
	$(GO) -C tools/otelcol mod tidy -diff

.PHONY: linters
linters: ## build golangci-lint and benchstat into tools/bin
	GOBIN="$(BIN)" $(GO) -C tools/lint install tool

.PHONY: servers
servers: ## build the real servers and tools of test-servers into tools/bin
	@# The tag leaves out the service discovery of twenty clouds, most of what there is to compile.
	GOBIN="$(BIN)" $(GO) -C tools/servers install -tags remove_all_sd tool
	$(GO) -C tools/otelcol build -o "$(BIN)/otelcol" .
	tools/alertmanager "$(BIN)/alertmanager"
	tools/debian prometheus $(DEBIAN_PROMETHEUS) /usr/bin/prometheus "$(BIN)/debian-prometheus"

.PHONY: ci
ci: ## run all that a change has to pass
	bash .ci/run

.PHONY: clean
clean: ## remove what was built
	rm -rf bin tools/bin
