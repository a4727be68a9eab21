# Everything a newcomer needs: `make run` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# Only the first module source: a refused module then says so, instead of timing out at a host that cannot answer.
export GOPROXY := $(shell go env GOPROXY 2>/dev/null | sed 's/[,|].*//')
export GATEHOUSE_DIR

# Tests, checks and programs are compiled alike, so that each package is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := $(GOFLAGS) -trimpath

.PHONY: help run build test quick race soak check lint gen fmt bench demo-code reset

help: ## list the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## start everything on this machine and print where to look
	@.ci/setup run
	@$(MAKE) -s build
	@exec bin/hub dev

# Symbol tables are left out: stack traces and profiles do not need them.
build: ## build the two programs into bin/
	@go build -ldflags "-s -w" -o bin/hub ./cmd/hub
	@go build -ldflags "-s -w" -o bin/agentd ./cmd/agentd

# The packages that take longest begin first, and four for each of two cores run beside each other: most of a test is waiting.
fuzzed := agentd/redact:FuzzPlanted agentd/policy:FuzzShell agentd/policy:FuzzSQL agentd/policy/canonical:FuzzJSON \
	agentd/tools/dataroot:FuzzNames
first := ./cmd/hub/e2e/fleet ./cmd/hub/e2e/story ./agentd/tools/shell ./cmd/hub/e2e/... ./cmd/repocheck ./db ./views/ui

# Stories on whole programs take turns (agentd/seeded): a run takes a sixth of them, which one follows the commit. TURN= takes all.
TURN ?= $(shell .ci/turn 6)

# Every fuzz target runs its seeds among the tests. One of those that everything else rests on, by turns too, also looks for new
# inputs, for 10 s. In a soak all do, for two minutes each.
# What go test would vet besides, make check vets. Symbol tables are left out: to write them takes as long as many a test.
test: ## all tests, from unit to browser, and a sixth of the stories
	@.ci/setup test
	@echo "turn of the stories: $(or $(TURN),all)"
	@GATEHOUSE_TURN=$(TURN) go test -vet=off -ldflags "-s -w" -timeout 40m -p 8 $$(go list $(first) ./...)
	@.ci/fuzz 10s $$(.ci/turn $(words $(fuzzed)) $(fuzzed))

quick: ## the tests of what changed since origin/main (or BASE=…), and of what imports it
	@.ci/setup test
	@.ci/quick

race: ## all tests under the race detector
	@.ci/setup test
	@CGO_ENABLED=1 go test -race -timeout 40m ./...

soak: ## long sweeps, fuzzing and soaks
	@.ci/setup test
	@GATEHOUSE_SOAK=1 go test -timeout 90m -count=1 ./...
	@.ci/fuzz 2m

check: ## format, vet, lint, import rules, generated code up to date
	@.ci/setup check
	@.ci/check

gen: ## make generated code anew
	@go tool templ generate -log-level error

fmt: ## format Go and templ files
	@go tool gofumpt -w $$(git ls-files -co --exclude-standard '*.go' | grep -v _templ.go)
	@go tool templ fmt -log-level error views cmd
	@go test -count=1 ./cmd/repocheck -run TestStyle -shrink

bench: ## the benchmarks: a table here, bench.json in $$GATEHOUSE_DIR (default ./var)
	@.ci/setup run
	@$(MAKE) -s build
	@go build -o bin/bench ./cmd/bench
	@exec bin/bench -bin bin

demo-code: ## the demo staff member's sign-in code of this minute
	@go run ./cmd/hub dev code

reset: ## move the demo's data aside (asks first; deletes nothing)
	@go run ./cmd/hub dev reset
