# make run    the program with the demo host; installs what is missing
# make test   everything that is tested, with a clear last line
# make build  build/rentgen        make agents   the programs for the hosts
# make bench  the figures          make lint     gofumpt, staticcheck, vet
# make shots  pictures of every place and state into build/shots
# make windows  build/rentgen.exe with mingw-w64
# make typecheck  every package for Windows and macOS, without a compiler for them

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

# One set of flags for every build and test, or Go compiles the C parts anew.
# Without Fyne's emoji face the window takes 14 MB less.
export GOFLAGS := -buildvcs=false -tags=migrated_fynedo,no_emoji
ifeq ($(shell uname -s),Linux)
# go-nvml leaves the driver's functions undefined until they are called.
export CGO_LDFLAGS := -Wl,-z,lazy
endif

GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TOOLS       := ./.ci/tools/typecheck ./.ci/tools/testsum ./.ci/tools/benchsum ./.ci/tools/appicon

.PHONY: run build test agents agent-amd64 bench lint shots windows typecheck clean

run:
	bash .ci/install build agent
	$(MAKE) --no-print-directory agent-amd64 build
	./build/rentgen --demo

build:
	mkdir -p build
	go build -ldflags='-s -w' -o build/rentgen ./app

# The programs for the hosts run on Linux alone and can only be built there.
ifeq ($(shell uname -s),Linux)
agents:
	bash .ci/install agents
	bash probe/agent/build/build.sh amd64 arm64

agent-amd64:
	bash probe/agent/build/build.sh amd64
else
agents agent-amd64:
	@echo "The program for the host can only be built on Linux: simple readings only."
endif

# The judges are functions without a goroutine, tried on tens of thousands of broken
# outputs: the race detector would only make them ten times slower.
# TMPDIR is private and short: a stray nvml.h beside cgo's files breaks go-nvml,
# and a socket's path has at most 108 bytes.
test: export LANG := en_US.UTF-8
test:
	bash .ci/install build agents test
	$(MAKE) --no-print-directory agents typecheck
	tmp=$$(mktemp -d /tmp/rg.XXXXXX); trap 'rm -rf "$$tmp"' EXIT; export TMPDIR=$$tmp; \
	go vet ./... $(TOOLS); \
	go run ./.ci/tools/testsum \
		"go test -race -timeout 30m $$(go list ./... | grep -v -e '^rentgen/app$$' -e '^rentgen/app/guide/check$$' | paste -sd' ') $(TOOLS)" \
		"go test -timeout 30m ./app/guide/check" \
		"go test -count=1 -timeout 30m ./app"

bench: export LANG := en_US.UTF-8
bench: build
	tmp=$$(mktemp -d /tmp/rg.XXXXXX); trap 'rm -rf "$$tmp"' EXIT; export TMPDIR=$$tmp; \
	go run ./.ci/tools/benchsum

build/bin/gofumpt:
	GOBIN=$(CURDIR)/build/bin GOFLAGS= CGO_ENABLED=0 go install $(GOFUMPT)

build/bin/staticcheck:
	GOBIN=$(CURDIR)/build/bin GOFLAGS= CGO_ENABLED=0 go install $(STATICCHECK)

lint: build/bin/gofumpt build/bin/staticcheck
	out=$$(build/bin/gofumpt -l app assets probe store ui .ci/tools); \
	if [[ -n $$out ]]; then echo "not formatted by gofumpt:"; echo "$$out"; exit 1; fi
	build/bin/staticcheck ./... $(TOOLS)
	go vet ./... $(TOOLS)
	@echo "lint: clean"

shots: export LANG := en_US.UTF-8
shots:
	mkdir -p build/shots
	RENTGEN_SHOTS=$(CURDIR)/build/shots go test -count=1 -run 'Shots' -timeout 30m ./ui/...
	@ls build/shots | wc -l | sed 's/$$/ pictures in build\/shots/'

windows:
	bash .ci/install windows
	mkdir -p build
	GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CGO_LDFLAGS= CC=x86_64-w64-mingw32-gcc \
		go build -ldflags='-s -w' -o build/rentgen.exe ./app

typecheck:
	go run ./.ci/tools/typecheck windows/amd64 darwin/arm64

clean:
	rm -rf build
