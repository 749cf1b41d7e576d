# What one does with Proctor's source. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test lint bench graders python

# The programs that tools/setup.sh puts into the checkout come first.
export PATH := $(CURDIR)/.tools/bin:$(PATH)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## build Proctor, play the oracle and recorded runs, print their verdicts
	@tools/setup.sh demo
	@tools/demo.sh

test: ## run every test; ends with the runner's summary
	@tools/setup.sh test
	@tools/test.sh

lint: ## check formatting, lints and documentation
	@tools/lint.sh

bench: ## measure the figures of docs/performance.md (builds a release first)
	@tools/setup.sh bench
	@tests/bench/run.sh

python: ## unpack, or build, the component that runs graders written in Python
	@tools/setup.sh python
	@tools/python.sh

graders: ## build every grader from source into its task pack
	@tools/setup.sh graders
	@tools/graders.sh
