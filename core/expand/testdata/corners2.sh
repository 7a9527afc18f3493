x='a b'; y=$(n "$x" $x); n "$y"; n $(n $(n a "b c"))
---
cat <<-E
	a	b
		c
	  d $((1+
	1)) ${u:-x
	y}
	E
---
cat <<\E
$x `a` \n
E
---
x=1; cat <<E
`echo $x` \`a\` `echo \$x` $(echo '$x') ${x}\
z
E
---
IFS=$'\n'; x=$'a b\nc\n\nd\n'; n $x
---
a=(1 2 3); n ${a[1+1]} ${a[a[0]]} ${a[$((0))]} ${a["1"]} ${a[ 1 ]} ${a[-1]} ${a[x]} ${a[i=1]} $i ${a['1']}
---
n ${!@}-${!*}; set -- foo; n ${!@}-${!*}-${!1}; foo=value; n ${!@}-${!*}-${!1}
---
declare -A m=([a b]=1); k='a b'; n "${m[$k]}" "${m['a b']}" "${m["a b"]}" $((m['a b']+1)) $((m["a b"]+1)) $((m[$k]+1)) "${m["$k"]}" ${m[a b]}
---
set -u; declare -A m; m[x]=1; unset 'm[x]'; n ${#m[@]} "${m[@]}"; a=(); n ${#a[@]}; a=(1); unset 'a[0]'; n ${#a[@]} "${a[@]}"
---
set -u; declare -A m; n "${m[@]}"; n ${#m[@]}
