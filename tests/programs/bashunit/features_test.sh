#!/usr/bin/env bash
# Everything that bashunit offers a test: hooks, providers, doubles, snapshots, skips, tags, annotations, temporary files.

function set_up_before_script() { script_log=$(bashunit::temp_file log); echo "before script" >>"$script_log"; }
function set_up() { state=fresh; }
function tear_down() { unset state; }
function tear_down_after_script() { cat "$script_log"; }

function test_hooks() {
  assert_same fresh "$state"
  assert_file_contains "$script_log" "before script"
}

# data_provider words
function test_provider() { assert_matches '^[a-z ]+$' "$1"; assert_not_empty "${2-}"; }
function words() {
  bashunit::data_set "one" 1
  bashunit::data_set "two words" "2 2"
  bashunit::data_set "UPPER" 3
}

# @data_provider lines
function test_provider_of_lines() { assert_less_than 3 "$1"; }
function lines() { echo 1; echo 2; echo 3; }

function test_mock() {
  bashunit::mock date echo 2001-02-03
  assert_same "2001-02-03" "$(date)"
  bashunit::mock uname <<<"heredoc"
  assert_same heredoc "$(uname -a)"
  bashunit::mock false 0
  assert_successful_code "$(false)"
  bashunit::unmock date
  assert_not_equals 2001-02-03 "$(date +%Y)"
}

function test_mock_sequence() {
  bashunit::mock_sequence next "echo first" "echo second" 3
  assert_same first "$(next)"
  assert_same second "$(next)"
  next
  assert_exit_code 3
}

function test_spy() {
  bashunit::spy ls
  ls -a one
  ls "two words" 'q"uote'
  assert_have_been_called ls
  assert_have_been_called_times 2 ls
  assert_have_been_called_with ls "two words" 'q"uote'
  assert_have_been_called_nth_with 1 ls -a one
  assert_have_been_called_times 3 ls
}

function test_never_called() { bashunit::spy never; assert_not_called never; }
function test_snapshot() { assert_match_snapshot "$(printf 'a\nb %s\n' c)"; }
function test_named_snapshot() { assert_match_named_snapshot other "x"; assert_match_snapshot_ignore_colors $'\e[1mbold\e[0m'; }
function test_todo() { bashunit::todo "later"; }
function test_skip() { bashunit::skip "not here" && return; assert_true false; }
function test_skip_if() { bashunit::skip_if "[ -n $state ]" "has state"; assert_true false; }
function test_skip_unless() { bashunit::skip_unless_command no-such-command; assert_true false; }
function test_title() { bashunit::set_test_title "a <title> with & and \"quotes\""; assert_true true; }
function test_fail() { bashunit::fail "on purpose"; }
function test_nothing_asserted() { :; }
function test_output() { echo "said"; echo "complained" >&2; assert_same a b; }
function test_unknown_command() { no_such_command_at_all; assert_same 1 1; }
function test_unset_variable() { set -u; echo "$no_such_variable"; }
function test_returns_five() { return 5; }
function test_exits() { exit 4; }
function test_reads_stdin() { read -r line; assert_empty "$line"; }
function test_quotes() { assert_equals "it's \"two\" \$x \`y\` \\z" 'it'"'"'s "two" $x `y` \'; }
function test_lines_differ() { assert_equals $'one\ntwo\nthree' $'one\n2\nthree'; }
function test_format() { assert_string_matches_format "%i items, %s, %f, %x" "3 items, name, 1.5, ff"; }
function test_exec() { assert_exec "echo out; echo err >&2; exit 2" --exit 2 --stdout "out" --stderr "err"; }
function test_once() { bashunit::assert_once assert_same a a; }

# @tag slow
function test_tagged() { assert_duration "sleep 0.01" 5000; }
# @skip by annotation
function test_skipped_by_annotation() { assert_true false; }
# @retry 2
function test_retried() {
  local tries=/tmp/tries; echo x >>"$tries"
  assert_greater_than 2 "$(wc -l <"$tries")"
}
# @timeout 1
function test_timed_out() { sleep 20; }
