# What the tests of coverage cover.
function sign() {
  if (($1 > 0)); then
    echo positive
  elif (($1 < 0)); then
    echo negative
  else
    echo zero
  fi
}
function never() {
  echo never
}
