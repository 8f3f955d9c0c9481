# Everything a developer needs. `make` alone says what there is.

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
CLI := github.com/opendesk/opendesk/internal/cli
LDFLAGS := -X $(CLI).version=$(VERSION) -X $(CLI).commit=$(COMMIT)
OFFICE := fixtures/projects/office
STATICCHECK := $(GO) tool -modfile=ci/tools.mod staticcheck

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-full chaos soak fuzz fuzz-short lint golden ocr-table bench bench-check bench-go clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing (apt) and download the Go modules
	@ci/install-deps.sh
	@$(GO) mod download

build: ## build bin/opendesk
	@$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/opendesk ./cmd/opendesk

demo: setup build ## run the office project on virtual displays
	@bin/opendesk eval run learn-regression --project $(OFFICE)
	@echo "The results are in $$(ls -1td $(OFFICE)/.opendesk/eval/runs/*/ | head -n 1)"

test: setup ## install what is missing and run the tests (under 10 minutes on 2 cores)
	@$(GO) test -timeout 9m ./...
	@cd ci/check && $(GO) test ./...

test-full: setup ## run the tests that take long as well, and the quick ones three times
	@ci/install-deps.sh toolkits
	@OPENDESK_FULL=1 $(GO) test -count=3 -timeout 60m ./...
	@cd ci/check && OPENDESK_FULL=1 $(GO) test -timeout 60m ./...

chaos: setup ## do bad things to 200 runs at random moments (UPDATE_DOCS=1 writes docs/reliability.md)
	@OPENDESK_CHAOS_FAULTS=$${OPENDESK_CHAOS_FAULTS:-200} \
		$(GO) test ./fixtures -run '^TestChaos$$' -count=1 -timeout 12h -v $(if $(UPDATE_DOCS),-update-docs)

soak: setup ## run 300 programs in one process, which must not grow (UPDATE_DOCS=1 writes docs/reliability.md)
	@OPENDESK_SOAK_RUNS=$${OPENDESK_SOAK_RUNS:-300} \
		$(GO) test ./fixtures -run '^TestSoak$$' -count=1 -timeout 6h -v $(if $(UPDATE_DOCS),-update-docs)

fuzz: ## run each fuzz target for FUZZTIME (5m); FUZZ=REGEXP selects some
	@FUZZTIME=$${FUZZTIME:-5m} ci/fuzz.sh

fuzz-short: ## run each fuzz target for 10 s
	@FUZZTIME=10s FUZZJOBS=4 ci/fuzz.sh

lint: ## check format, vet, other platforms, staticcheck and go.mod
	@unformatted="$$(git ls-files -co --exclude-standard -- '*.go' | xargs gofmt -l)"; \
	if [ -n "$$unformatted" ]; then echo "gofmt these files:" $$unformatted; exit 1; fi
	@$(GO) vet ./...
	@for os in linux darwin windows; do \
		echo "vet without cgo for $$os"; \
		CGO_ENABLED=0 GOOS=$$os $(GO) build ./... && CGO_ENABLED=0 GOOS=$$os $(GO) vet ./... || exit 1; \
	done
	@$(STATICCHECK) ./...
	@$(GO) mod tidy -diff
	@cd ci/check && $(GO) vet ./... && $(GO) mod tidy -diff

golden: ## rewrite the golden files from what the code gives now
	@$(GO) test -count=1 $$(grep -rlE 'flag\.Bool\("update"' --include='*_test.go' . | xargs -r -n1 dirname | sort -u) -update

ocr-table: ## read the recorded screens and write the tables of docs/ocr.md
	@$(GO) test -count=1 -timeout 30m ./fixtures/screens -run '^TestTable$$' -table

bench: setup build ## measure against others, by turns; writes bench/results.json, docs/performance.md (BENCH_ROUNDS=4)
	@ci/install-deps.sh bench
	@$(GO) run ./bench $(if $(QUICK),-quick)

bench-check: setup build ## measure quickly, and compare with bench/results.json as ratios to a peer
	@ci/install-deps.sh bench
	@$(GO) run ./bench -check

bench-go: ## run the Go benchmarks
	@$(GO) test -run '^$$' -bench . -benchmem ./...

clean: ## remove what was built and what runs left in the fixtures
	@rm -rf bin dist fixtures/projects/*/.opendesk/eval/runs fixtures/projects/*/.opendesk/eval/history.db*
