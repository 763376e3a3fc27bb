# Every job needs Go, git and make. test-race also needs gcc. Tools are built from the pinned modules under tools/.

GO       ?= go
FUZZTIME ?= 30s
BENCH    ?= .
BIN      := $(CURDIR)/tools/bin

.PHONY: help
help: ## list the jobs
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: build
build: ## build the static programs into bin/; RELEASE=v1.2.3 names a release
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X main.release=$(RELEASE)' -o bin/ ./cmd/...

.PHONY: test
test: ## run the tests; needs Go alone
	$(GO) test ./...

.PHONY: test-race
test-race: ## run the tests under the race detector; needs gcc
	CGO_ENABLED=1 $(GO) test -race ./...

.PHONY: test-servers
test-servers: servers ## run the programs against real servers and tools
	PATH="$(BIN):$$PATH" $(GO) test -count=1 -tags servers ./test/servers/...

.PHONY: bench
bench: ## run the benchmarks; BENCH=REGEXP chooses
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	tools/fuzz $(FUZZTIME)

.PHONY: fmt-check
fmt-check: ## fail if a file is not gofmt clean
	@odd=$$(gofmt -l .) && test -z "$$odd" || { echo "not gofmt clean:" $$odd >&2; exit 1; }

.PHONY: vet
vet: ## run go vet, on the server tests too
	$(GO) vet -tags servers ./...

.PHONY: lint
lint: fmt-check vet linters ## run gofmt, go vet and golangci-lint
	$(BIN)/golangci-lint run ./...

.PHONY: generate
generate: ## write the generated files anew
	$(GO) generate ./...

.PHONY: generate-check
generate-check: ## fail if a generated file is out of date
	tools/drift $(MAKE) generate

.PHONY: tidy-check
tidy-check: ## fail if a go.mod or go.sum is not tidy
	$(GO) mod tidy -diff
	$(GO) -C tools/lint mod tidy -diff
	$(GO) -C tools/servers mod tidy -diff

.PHONY: linters
linters: ## build golangci-lint and benchstat into tools/bin
	GOBIN="$(BIN)" $(GO) -C tools/lint install tool

.PHONY: servers
servers: ## build the real servers and tools of test-servers into tools/bin
	@# The tag leaves out the service discovery of twenty clouds, most of what there is to compile.
	GOBIN="$(BIN)" $(GO) -C tools/servers install -tags remove_all_sd tool

.PHONY: ci
ci: ## run all that a change has to pass
	bash .ci/run

.PHONY: clean
clean: ## remove what was built
	rm -rf bin tools/bin
