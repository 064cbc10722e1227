# Each target does its own set-up; `make help` lists them. The steps live in scripts/.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test build test-asan test-tsan test-vllm bench format clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## three simulated engines and the gate on 127.0.0.1:8000 (KVGATE_PORT=N: another port), one chat, until Ctrl-C
	@scripts/install-deps.sh run
	@scripts/build release
	@scripts/run-demo build/release/kvgate

test: ## build with assertions and run every test
	@scripts/install-deps.sh test
	@scripts/build test
	@scripts/run-tests build/test

build: ## the release binary, build/release/kvgate
	@scripts/install-deps.sh build
	@scripts/build release

test-asan: ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/install-deps.sh test
	@scripts/build asan
	@scripts/run-tests build/asan

test-tsan: ## every test under ThreadSanitizer
	@scripts/install-deps.sh test
	@scripts/build tsan
	@scripts/run-tests build/tsan

test-vllm: ## token ids of requests against a real vLLM (not part of test); KVGATE_VLLM_MODEL: a model's folder
	@scripts/install-deps.sh test
	@scripts/build test
	@scripts/test-vllm build/test/kvgate

bench: ## build and run the micro benchmarks
	@scripts/install-deps.sh build
	@scripts/build bench
	@set -e; for program in build/bench/bench/bench_*; do $$program; done

format: ## clang-format on all C++ files
	@scripts/install-deps.sh format
	@find . -path ./build -prune -o -name '*.[ch]pp' -exec clang-format-16 -i {} +

clean: ## remove what was built; the Python test clients stay
	@rm -rf build/release build/test build/asan build/tsan build/bench build/demo
