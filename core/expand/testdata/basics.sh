set --; x=; n "$@$x"; n "$@"""; n ""$@; n "a$@"; n "$@a"; n $@""; n "$@" ""; n '' "$@"; n "${@:-}" ; n "$x$@"; n ""$@""
---
set -- "" a ""; n x$@y; n $@; n "x$@y"; n x"$@"y
---
IFS=:; set -- a "" b; n $*; n $@; n x$*; n "$*"; y=$*; echo "$y"; y=$@; echo "$y"; y="$@"; echo "$y"
---
IFS=:; x=a:b; n ${x:-1}; n ${zz:-a:b}; n "${zz:-a:b}"; n ${zz:-"a:b":c}
---
set -- "" a "" b; IFS=; n $*; n "$*"; y=$*; echo "$y"; y=$@; echo "$y"
---
x=a; echo "${x/a/'b'}" ${x/a/'b'} "${x/'a'/b}" "${x#'a'}" "${zz:-'a'}" ${zz:-'a'} "${zz:-"q w"}"
---
x=ab; echo "${x/b/[&]}" "${x/b/\&}" "${x/b/"&"}" ; r='<&>'; echo "${x/b/$r}" ${x/b/"$r"}
---
n {a,b}$x{1..3}; a=1; n $a{b,c}; n {a,b\,c}; n a{,}b; n {a..e..2} {10..1..3} {01..10..3} {a,{b,c}} {a} {} {a,b ; n \{a,b} "{a,b}" x{a,b}"{c,d}"
---
echo ~root ~nouser ~/x a=~/x a=b:~/x x=~ "~" \~ ~"/x" a:~
---
echo $((3--5)) $((- -5)) $((2**3**2)) $((-2**2)) $((7/-2)) $((7%-2)) $((1<<65)) $((08))
---
echo $((5/0))
---
x='a b'; echo ${x@Q} "${x@A}" ; declare -A m=([a]=1 [b]=2); echo "${m[@]@K}" "${m[@]@k}" "${m[@]@A}" "${!m[@]}" ${#m[@]}; n "${m[@]@k}"
---
x='a  b'; n $x "$x" x$x" y"; n ${x#a} "${x%%b}" ${#x} ${x:1:2} "${x:1:2}" ${x: -1}
---
a=(1 2 '3 4'); n ${a[@]} "${a[@]}" "${a[*]}" ${#a[@]} ${a[1]} ${a[-1]} ${!a[@]} "${a[@]:1}" ${a[@]:0:2} "x${a[@]}y" ${#a[2]}
---
x=5; n $((x+1)) $((x++)) $x $((++x)) $((x+=2)) "$((x*2))" $((x>3?1:0)) $((a[2]=7)) ${a[2]} ${a[@]}
---
cat <<E
x=$x \$x \"q\" "q" 'q' $((1+2)) ${x:-'d'} ${x:-"d"} \
joined
E
---
cat <<-E
	x
		y $HOME
	E
---
cat <<'E'
$x \n `a`
E
---
x=abcabc; echo ${x#*b} ${x##*b} ${x%b*} ${x%%b*} ${x/b/X} ${x//b/X} ${x/#a/X} ${x/%c/X} ${x^} ${x^^} ${x^^[bc]} ${x/b} ${x//[ab]/-}
---
unset u; echo "${u-d}" "${u:-d}" "${u+s}" "${u:+s}" ${u=v} $u; u=; echo "${u-d}" "${u:-d}" "${u+s}" "${u:+s}"
---
echo ${u?}
---
echo ${u:?custom message}
---
set -u; echo $nope
---
set -u; echo ${nope[1]}
---
set -u; echo $1
---
x=y; y=z; echo ${!x} ${!x:-d}; a=(1 2 3); r='a[1]'; echo ${!r}; r='a[@]'; n "${!r}"; xa=1; xb=2; echo ${!x*} "${!x@}"
---
echo $(echo hi; echo there) "$(echo 'a  b')" `echo back` x$(echo "y z")w
---
n=0; echo $n $((n++)) $(true) end; false; echo $? $(true) $?
---
x=1+2; echo $((x)) $((x*2)) $(($x*2)); y=x; echo $((y)); 
---
echo $((1+)) 
---
echo $((2 3))
---
echo $((a b))
---
x='1+'; echo $((x))
---
x=x; echo $((x))
---
echo $(( 1 ? 2 : 3 )) $((0||0)) $((1&&2)) $((!5)) $((~5)) $((5,6)) $((16#ff)) $((0x1F)) $((017)) $((2#101)) $((64#_))
