.DEFAULT_GOAL := help
GO ?= go

# Packages that are compiled within a minute or so. "./..." alone is one module. The program comes first because its tests take longest.
QUICK = ./cmd/macemc/... ./... ./systems/etcdraft/...

# All packages but the glue, whose tests need the changed runtime.
PACKAGES = $(QUICK) ./cmd/macemc-cluster/... ./cmd/macemc-debug/... ./cmd/macemc-mcp/... ./cmd/macemc-vet/... ./evaluation/...

# Packages with tests in a browser.
PAGES = ./internal/report/render ./internal/web

# How many packages are compiled or tested at a time: more than there are cores, because many tests wait.
PARALLEL := $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3 / 2)

# Only for what hangs: some packages take five minutes, and three times as long on a machine that is busy.
TIMEOUT ?= 60m

# The seed of rapid's random tests, so that they pass twice if they pass once; 0: another one each time, as of a plain go test.
RAPID_SEED ?= 1

# Parts of all tests. The tests of the program take as long as all others, and are split into three parts.
TESTS = test-packages test-program test-command-1 test-command-2 test-pages
PROGRAM = ./cmd/macemc/internal/cli
COMMAND_1 = '^TestTest_[A-M]'

.PHONY: help demo install install-all uninstall build test test-all lint ci check evaluation ecosystem soak bench tidy \
	$(TESTS) check-goroutines check-glue check-next check-deploy check-clients check-ecosystem check-mermaid check-browser \
	check-install pictures

# Without cgo the programs are as those of a release, and compiled sooner. Tests and lint take what was compiled for them.
demo install-programs build test $(TESTS) lint check-goroutines check-deploy check-clients check-next ecosystem check-ecosystem: export CGO_ENABLED ?= 0

# Without tables for debuggers, compilation takes an eighth less. With them, the first go test of a user's module takes what install compiled.
# Lint does the vetting, also for the commands that tests execute.
demo build test $(TESTS) lint check-goroutines check-deploy check-clients check-next ecosystem check-ecosystem: export GOFLAGS := $(shell $(GO) env GOFLAGS) -gcflags=all=-dwarf=false -vet=off

# With fewer garbage collections, tests take a quarter less CPU time, and compilation a tenth.
install-programs build test $(TESTS) lint check-deploy check-clients check-next ecosystem check-ecosystem: export GOGC ?= 400

demo: ## find a known liveness bug of the random overlay tree
	@test -x bin/demo/macemc || echo "compiling bin/demo/macemc, which takes about a minute with an empty build cache ..." >&2
	@GOGC=400 $(GO) build -tags demo -o bin/demo/ ./cmd/macemc # it lacks what takes a quarter of the time; the compiler takes a fifth less with GOGC
	@bin/demo/macemc search randtree --bug RT13 --brief; status=$$?; \
	test $$status -eq 1 || { echo "demo: a violation (exit status 1) was expected, got exit status $$status" >&2; exit 1; }

# Programs are installed as by go install: into GOBIN, or bin of the first folder of GOPATH. If PREFIX is given, into PREFIX/bin.
ifdef PREFIX
BIN = $(PREFIX)/bin
SHARE = $(PREFIX)/share
else
SHARE = $(or $(XDG_DATA_HOME),$(HOME)/.local/share)
BIN = $(shell dir=$$($(GO) env GOBIN); echo "$${dir:-$$($(GO) env GOPATH | cut -d: -f1)/bin}")
endif

# Programs that macemc executes. It compiles a missing one itself.
COMPANIONS = macemc-cluster macemc-debug macemc-mcp macemc-vet

# Companions that are installed are upgraded, because they exchange data with macemc.
install: ## install macemc into GOBIN or GOPATH/bin, completions into XDG_DATA_HOME or ~/.local/share (PREFIX=DIR: below DIR)
	@programs=macemc; for program in $(COMPANIONS); do test ! -e "$(BIN)/$$program" || programs="$$programs $$program"; done; \
	$(MAKE) --no-print-directory install-programs BIN="$(BIN)" PROGRAMS="$$programs"
	@test -e "$(BIN)/macemc-vet" || echo "vet, mcp, cluster and worker are programs of their own, compiled on first use (now: make install-all)"

install-all: ## install macemc, and the programs for vet, mcp, cluster and worker
	@$(MAKE) --no-print-directory install-programs BIN="$(BIN)" PROGRAMS="macemc $(COMPANIONS)"

.PHONY: install-programs
install-programs:
	@echo "compiling $(PROGRAMS) ..." >&2
	@$(GO) build -o bin/ $(PROGRAMS:%=./cmd/%)
	@install -d "$(BIN)" "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	@install $(PROGRAMS:%=bin/%) "$(BIN)"
	@bin/macemc completion bash >"$(SHARE)/bash-completion/completions/macemc"
	@bin/macemc completion zsh >"$(SHARE)/zsh/site-functions/_macemc"
	@bin/macemc completion fish >"$(SHARE)/fish/vendor_completions.d/macemc.fish"
	@for program in $(PROGRAMS); do echo "installed $(BIN)/$$program"; done
	@echo "installed completions for bash, zsh and fish below $(SHARE)"
	@bin="$(BIN)"; first=$$(command -v macemc); \
	case ":$$PATH:" in \
	*":$$bin:"*) test "$$first" = "$$bin/macemc" || echo "PATH has another macemc before it: $$first" ;; \
	*) echo "$$bin is not in PATH: export PATH=\"$$bin:\$$PATH\"" ;; \
	esac

uninstall: ## remove what install has installed
	@for program in macemc $(COMPANIONS); do rm -f "$(BIN)/$$program"; done
	@rm -f "$(SHARE)/bash-completion/completions/macemc" \
		"$(SHARE)/zsh/site-functions/_macemc" "$(SHARE)/fish/vendor_completions.d/macemc.fish"
	@echo "removed macemc from $(BIN) and $(SHARE); go clean -cache removes what it has compiled"

build: ## build bin/macemc
	@echo "compiling macemc into bin ..." >&2
	@$(GO) build -o bin/ ./cmd/macemc

GO_TEST = RAPID_SEED=$(RAPID_SEED) $(GO) test -ldflags=-w -timeout $(TIMEOUT)

# A test that takes more than a second of CPU time is skipped with -short, or does less.
test: ## run the quick tests (go test -short), without those of other programs, papers, evaluation and source code
	$(GO_TEST) -short -p $(PARALLEL) $$($(GO) list $(QUICK) | grep -vE '/papers|/(lint|mermaid|release)$$|/glue/')

test-all: $(TESTS) ## run all tests

test-packages:
	$(GO_TEST) $$($(GO) list $(PACKAGES) | grep -v '$(PROGRAM:./%=%)$$')

test-program:
	$(GO_TEST) -skip '^TestTest_' $(PROGRAM)

test-command-1:
	$(GO_TEST) -run $(COMMAND_1) $(PROGRAM)

test-command-2:
	$(GO_TEST) -run '^TestTest_' -skip $(COMMAND_1) $(PROGRAM)

test-pages:
	$(GO) test -tags browser -run Browser $(PAGES)

lint: ## check formatting, go vet and staticcheck
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted with gofmt:" $$files; exit 1; }
	$(GO) vet work
	GOWORK=off $(GO) vet ./...
	$(GO) vet -tags browser $(PAGES) ./internal/test/chromium
	$(GO) tool staticcheck $(PACKAGES)

ci: demo test check ## run everything that must pass, in less than half an hour

# What ci runs after demo and test. A failure ends only its own part. Most parts wait often, so that three run at a time.
check: lint
	@$(MAKE) --no-print-directory -k -j 3 \
		test-command-2 test-packages test-command-1 check-goroutines test-program test-pages check-deploy check-clients check-next check-ecosystem

NEXT ?= go1.27.0

# Compile the changed standard library of the next version of Go.
check-next:
	@if GOTOOLCHAIN=$(NEXT) $(GO) version; \
	then GOTOOLCHAIN=$(NEXT) $(GO) test -count=1 ./internal/overlay; \
	else echo "$(NEXT) is not checked, because it cannot be downloaded"; fi

evaluation: ## make all rows of the papers' tables, and find every known bug (not in ci)
	$(GO) build -o bin/ ./evaluation
	@for table in mpbasset crash p preachdb; do bin/evaluation tables $$table || exit 1; done
	bin/evaluation bugs

ecosystem: ## explore tests that use a hundred libraries (or those in FOLDERS), and write docs/works-with.md (not in ci)
	$(GO) build -o bin/ecosystem/ ./cmd/macemc
	cd evaluation/ecosystem && GOWORK=off $(GO) vet . && \
		GOWORK=off $(GO) run . -macemc ../../bin/ecosystem/macemc -write ../../docs/works-with.md $(FOLDERS)

SOAK ?= 100000
FIRST ?= 100000

soak: ## compare SOAK=100000 more random systems with the oracle, and with states left out from number FIRST=100000 on (Ctrl-C keeps what was done)
	$(GO) test -count=1 -timeout 0 -v -run '^TestSoak$$' ./internal/test/oracle -soak $(SOAK) -tally $(CURDIR)/.soak
	$(GO) test -count=1 -timeout 0 -v -run '^TestReductions$$' ./internal/table/por -reductions $(SOAK) -first-reduction $(FIRST)
	$(GO) test -count=1 -timeout 0 -v -run '^TestImplicitCrashes_RandomSystems$$' ./internal/table/crashes -crashings $(SOAK) -first-crashing $(FIRST)

bench: ## run all benchmarks, in the format that benchstat reads
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

tidy: ## make the go.mod and go.sum files of all modules tidy
	$(GO) run ./cmd/macemc/internal/release tidy

help: ## show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# More checks, which need a changed runtime, other modules, or other programs.

# Test package bubble with the changed runtime (the first time it builds the standard library).
check-goroutines:
	$(GO) vet -tags macemc_overlay ./bubble/... ./internal/test/programs/...
	$(GO) build -o bin/ ./cmd/macemc
	bin/macemc test ./bubble/... ./internal/test/programs/... -count=1 -timeout $(TIMEOUT)

# Test the glue for net/http, gRPC, hashicorp/raft and memberlist, unchanged services, and the tutorial, with the changed runtime.
check-glue:
	$(GO) build -o bin/ ./cmd/macemc
	@for m in glue/*/ $(dir $(wildcard glue/services/*/go.mod)); do (cd $$m && $(CURDIR)/bin/macemc test -vet=off -count=1 ./...) || exit 1; done

# Let their own parsers read what runs a cluster in containers, and run its commands.
check-deploy:
	cd deploy && GOWORK=off $(GO) vet . && GOWORK=off $(GO) test -count=1 .

# Let clients of other projects complete a session with the servers for editors.
check-clients:
	cd internal/test/clients && GOWORK=off $(GO) vet . && GOWORK=off $(GO) test -count=1 .

# Explore tests that use some of the libraries that compile soon.
check-ecosystem:
	$(GO) build -o bin/ecosystem/ ./cmd/macemc
	cd evaluation/ecosystem && GOWORK=off $(GO) vet . && GOWORK=off $(GO) test -count=1 . && \
		GOWORK=off $(GO) run . -macemc ../../bin/ecosystem/macemc -explore-time 300ms $(ECOSYSTEM) && \
		GOWORK=off ../../bin/ecosystem/macemc test -count=1 ./nodes
	cd evaluation/stores && GOWORK=off MACEMC=$(CURDIR)/bin/ecosystem/macemc $(GO) run ./releases buntdb

# Folders of evaluation/ecosystem that check-ecosystem explores.
ECOSYSTEM ?= netrpc pools retries sync mocks

# Install the program as users do, without this checkout: from a module proxy made of it.
check-install:
	$(GO) run ./cmd/macemc/internal/release check

.mermaid/node_modules/mermaid:
	npm install --prefix .mermaid --no-audit --no-fund --silent mermaid@11.17.2 jsdom@29.1.1

# Let Mermaid's own parser check our diagrams (npm).
check-mermaid: .mermaid/node_modules/mermaid
	$(GO) test -count=1 -v -run Mermaid ./internal/test/mermaid ./eventgraph ./internal/report/render

# Step through reports and the debugger in headless Chromium (installs it from Debian packages).
check-browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { apt-get update -q && apt-get install -q -y chromium; }
	$(GO) test -count=1 -v -tags browser -run Browser $(PAGES)

# Take the picture of the README anew, by headless Chromium (installs it from Debian packages).
pictures:
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -q -y chromium; }
	@mkdir -p docs/pictures
	$(GO) test -count=1 ./cmd/macemc/internal/cli -run '^TestPictures$$' -update
