#!/usr/bin/env bash
# @revs=3 @its=2
function bench_loop() { local i; for ((i = 0; i < 10; i++)); do :; done; }
# @revs=1 @its=1 @max_ms=5000
function bench_once() { true; }
