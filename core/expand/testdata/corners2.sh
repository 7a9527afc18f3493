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
