.DEFAULT_GOAL := help
GO ?= go

# All packages but the glue, whose tests need the changed runtime. "./..." alone is one module.
PACKAGES = ./... ./cmd/macemc/... ./evaluation/... ./systems/etcdraft/...

# Only for what hangs: some packages take five minutes, and three times as long on a machine that is busy.
TIMEOUT ?= 40m

# The seed of rapid's random tests, so that they pass twice if they pass once; 0: another one each time, as of a plain go test.
RAPID_SEED ?= 1

.PHONY: help demo build test test-all check soak soak-reductions soak-figures soak-cluster bench bench-finding bench-peers lint ci check-goroutines torture-goroutines check-glue check-deploy check-mermaid check-browser check-install tidy pictures

##@ First steps

demo: ## find a known liveness bug of the random overlay tree
	@test -x bin/macemc || echo "compiling bin/macemc, which takes a minute the first time ..." >&2
	@$(MAKE) --no-print-directory -s build
	@bin/macemc search randtree --bug RT13; status=$$?; \
	test $$status -eq 1 || { echo "demo: a violation (exit status 1) was expected, got exit status $$status" >&2; exit 1; }

build: ## build bin/macemc
	$(GO) build -o bin/ ./cmd/macemc

# A test that takes more than a second of CPU time is skipped with -short, or does less. Lint does the vetting.
test: ## run the quick tests (go test -short)
	RAPID_SEED=$(RAPID_SEED) $(GO) test -short -vet=off -timeout $(TIMEOUT) $(PACKAGES)

test-all: ## run all tests
	RAPID_SEED=$(RAPID_SEED) $(GO) test -vet=off -timeout $(TIMEOUT) $(PACKAGES)

help: ## show what can be made
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Before a change is merged

ci: demo test check ## run everything that must pass

check: lint test-all check-goroutines check-deploy ## run what ci runs behind demo and test

lint: ## check formatting, go vet and staticcheck
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted with gofmt:" $$files; exit 1; }
	$(GO) vet work
	GOWORK=off $(GO) vet ./...
	$(GO) tool staticcheck $(PACKAGES)

check-goroutines: ## test package bubble with the changed runtime (the first time it builds the standard library)
	$(GO) vet -tags macemc_overlay ./bubble
	$(GO) run ./cmd/macemc test -explore=false ./bubble -count=1

check-glue: build ## test the glue for net/http, gRPC, hashicorp/raft and memberlist, and the tutorial, with the changed runtime
	@for m in glue/*/; do (cd $$m && ../../bin/macemc test -explore=false -count=1 ./...) || exit 1; done

check-deploy: ## let their own parsers read what runs a cluster in containers, and run its commands
	cd deploy && GOWORK=off $(GO) vet . && GOWORK=off $(GO) test -count=1 .

check-install: ## install the program as users do, without this checkout: from a module proxy made of it
	$(GO) run ./cmd/macemc/internal/release check

.mermaid/node_modules/mermaid:
	npm install --prefix .mermaid --no-audit --no-fund --silent mermaid@11.17.2 jsdom@29.1.1

check-mermaid: .mermaid/node_modules/mermaid ## let Mermaid's own parser check our diagrams (npm)
	$(GO) test -count=1 -v -run Mermaid ./internal/test/mermaid ./eventgraph ./internal/report

check-browser: ## step through reports in headless Chromium (installs it from Debian packages)
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { apt-get update -q && apt-get install -q -y chromium; }
	$(GO) test -count=1 -v -run Browser ./internal/report

##@ Long tests

SOAK ?= 100000

SOAK_FOR ?= 0

soak: ## compare SOAK=100000 more random systems with the oracle, from where the last soak stopped, or for SOAK_FOR=1h (an hour and a half of CPU time; Ctrl-C keeps what was done)
	$(GO) test -count=1 -timeout 0 -v -run '^TestSoak$$' ./internal/test/oracle -soak $(SOAK) -for $(SOAK_FOR) -tally $(CURDIR)/.soak

soak-figures: ## write what the soaks came to into evaluation/soak.md
	$(GO) test -count=1 -run '^TestSoak$$' ./internal/test/oracle -page $(CURDIR)/evaluation/soak.md -tally $(CURDIR)/.soak

REDUCTIONS ?= 100000

FIRST ?= 100000

soak-reductions: ## compare REDUCTIONS=100000 random systems, from number FIRST on, with states left out and without
	$(GO) test -count=1 -timeout 0 -v -run '^(TestReductions|TestTransparent)$$' ./internal/table -reductions $(REDUCTIONS) -first-reduction $(FIRST) \
		-crashings $(REDUCTIONS) -first-crashing $(FIRST)

soak-cluster: ## lose servers and workers of a cluster, the tests that take a minute included
	cd cmd/macemc && $(GO) test -count=1 -v ./internal/cluster -long

torture-goroutines: build ## run every source of nondeterminism 900 times beside other work (2 minutes)
	bin/macemc test -explore=false ./bubble -count=10 -run '^TestTorture$$'

##@ Measurements

bench: ## run all benchmarks, in the format that benchstat reads
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

SEEDS ?= 21

bench-finding: ## compare how soon OLD=path/to/evaluation and this checkout find the known bugs, with SEEDS=21 seeds each (one worker; an hour)
	@test -x "$(OLD)" || { echo "say with which program to compare, as in OLD=/tmp/macemc" >&2; exit 2; }
	$(GO) build -o bin/ ./evaluation
	$(GO) run ./evaluation/finding -seeds $(SEEDS) "$(OLD)" bin/evaluation

bench-peers: build ## compare with SPIN and rumur on Paxos, and write the tables into evaluation/performance.md (installs them from Debian packages; 12 GB of memory, an hour)
	@for p in spin rumur gcc; do command -v $$p >/dev/null || missing="$$missing $$p"; done; \
	test -z "$$missing" || { apt-get update -q && apt-get install -q -y $$missing; }
	$(GO) run ./evaluation/peers -proposers 3 -workers 1,2 -runs 3,rumur=1 -visited 64,128,exact -write evaluation/performance.md
	$(GO) run ./evaluation/peers -compare verdicts -proposers 3 -visited exact -runs 5,spin=1 -write evaluation/performance.md

##@ Upkeep

tidy: ## make the go.mod and go.sum files of all modules tidy
	$(GO) run ./cmd/macemc/internal/release tidy

pictures: ## take the pictures of the README anew, the screenshot by headless Chromium (installs it from Debian packages)
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -q -y chromium; }
	@mkdir -p docs/pictures
	$(GO) test -count=1 ./cmd/macemc/internal/cli -run '^TestPictures$$' -update
