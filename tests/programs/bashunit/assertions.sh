# What each assertion in a file of bashunit's sources says of lists of arguments that suit some: bash assertions.sh FILE BASHUNIT
mkdir -p /tmp/it/full /tmp/it/none; cd /tmp/it || exit
echo 'some text' >full/file; : >none.txt; ln -s full/file link; chmod 640 full/file; cp full/file copy
json='{"name":"x","list":[1,2],"n":null}'
lists=(
  "" "a" "a a" "a b" "5 3" "3 5 4" "full/file" "link" "full none" "full/file copy" "full/file some" "2024-01-05 2024-01-03"
  "'^s.*t$' 'some text'" "'%s text' 'some text'" ".name '$json'" "'$json' '$json'" "640 full/file" "2 .list '$json'" "x .name '$json'" ".list 2 '$json'" "true" "'exit 3'"
)
for assertion in $(sed -n 's/^function \(assert_[a-z_]*\)().*/\1/p' "$1"); do
  for i in "${!lists[@]}"; do
    printf 'function test_%s_%02d() {\n  %s %s\n}\n' "$assertion" "$i" "$assertion" "${lists[i]}"
  done
done >all_test.sh
bash "$2" --no-progress --no-color --run-all all_test.sh
