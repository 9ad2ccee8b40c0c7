.DEFAULT_GOAL := help
GO ?= go

.PHONY: help build test bench lint demo ci

help: ## show what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

build: ## build bin/macemc
	$(GO) build -o bin/ ./cmd/macemc

test: ## run all tests
	$(GO) test ./...

bench: ## run all benchmarks, in the format that benchstat reads
	$(GO) test -run '^$$' -bench . -benchmem ./...

lint: ## check formatting, go vet and staticcheck
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted with gofmt:" $$files; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

demo: build ## find a known liveness bug of the random overlay tree
	@bin/macemc search randtree --bug RT13; status=$$?; \
	test $$status -eq 1 || { echo "demo: a violation (exit status 1) was expected, got exit status $$status" >&2; exit 1; }

ci: lint build test demo ## everything that must pass
