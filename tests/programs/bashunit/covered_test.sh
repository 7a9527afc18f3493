#!/usr/bin/env bash
function set_up_before_script() { source "$(dirname "${BASH_SOURCE[0]}")/covered.sh"; }
function test_positive() { assert_same positive "$(sign 3)"; }
function test_zero() { assert_same zero "$(sign 0)"; }
function test_negative() { sign -1 >/tmp/sign; assert_file_contains /tmp/sign negative; }
