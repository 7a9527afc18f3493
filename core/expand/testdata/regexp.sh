[[ a.b =~ a"."b ]] && echo 1; [[ axb =~ a"."b ]] || echo 2; [[ axb =~ a.b ]] && echo 3; [[ a.b =~ a\.b ]] && echo 4; [[ axb =~ a\.b ]] || echo 5; [[ 'a+b' =~ a\+b ]] && echo 6; [[ 'a+b' =~ 'a+b' ]] && echo 7; [[ aab =~ 'a+b' ]] || echo 8
---
re='^(a|b)+$'; [[ abab =~ $re ]] && echo 1; [[ abab =~ "$re" ]] || echo 2; [[ "$re" =~ "$re" ]] && echo 3; [[ abc =~ $re ]] || echo 4; [[ xabab =~ x${re#^} ]] && echo 5
---
[[ "a b" =~ a\ b ]] && echo 1; [[ "a b" =~ "a b" ]] && echo 2; [[ 123 =~ ^[[:digit:]]+$ ]] && echo 3; [[ 12x =~ ^[0-9]+$ ]] || echo 4; [[ 'a]b' =~ a[]x]b ]] && echo 5; [[ a^b =~ a[x^]b ]] && echo 6; [[ 'a"b' =~ a[\"]b ]] && echo 7; [[ 'a$b' =~ a[$]b ]] && echo 8; [[ 'a.b' =~ a[.]b ]] && echo 9; [[ axb =~ a[.]b ]] || echo 10
---
x='.'; [[ a.b =~ a$x ]] && echo 1; [[ ab =~ ^a"$x"b ]] || echo 2; [[ 'a.b' =~ ^a"$x"b ]] && echo 3; [[ axb =~ ^a${x}b$ ]] && echo 4; [[ "" =~ ^$ ]] && echo 5; [[ a =~ "" ]] && echo 6; [[ 'a|b' =~ a'|'b ]] && echo 7; [[ 'a(b)' =~ \(b\) ]] && echo 8; [[ '{1}' =~ \{1\} ]] && echo 9; [[ aaa =~ ^a{3}$ ]] && echo 10; [[ 'a\b' =~ a\\b ]] && echo 11; [[ 'a\b' =~ 'a\b' ]] && echo 12
---
[[ "key=val" =~ ^([a-z]+)=(.*)$ ]] && echo 1; [[ 2024-01-02 =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})$ ]] && echo 2; [[ foo.tar.gz =~ \.(tar\.gz|zip)$ ]] && echo 3; [[ $HOME =~ ^/r ]] && echo 4; [[ ~ =~ ^/ ]] && echo 5; [[ 'x y' =~ [[:space:]] ]] && echo 6; [[ a/b =~ a/b ]] && echo 7; [[ é =~ ^.$ ]] && echo 8; [[ 'a*' =~ a\* ]] && echo 9; [[ '[x]' =~ \[x\] ]] && echo 10; [[ '[x]' =~ "[x]" ]] && echo 11; [[ x =~ "[x]" ]] || echo 12
---
c='-'; [[ a-b =~ [a"$c"b]-b ]] && echo 1; [[ 'a]' =~ [']']$ ]] && echo 2; [[ 'b' =~ ["a-c"] ]] && echo 3; [[ 'a' =~ ^[^"b"]$ ]] && echo 5; [[ a =~ [[:alpha:]"]"] ]] && echo 6; [[ '$' =~ \$ ]] && echo 7; [[ '$x' =~ '$x' ]] && echo 8; [[ ab =~ (a)(b)? ]] && echo 9
