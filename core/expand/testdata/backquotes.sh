echo 1 `echo $`; echo 2 `echo \$`; echo 3 `echo \\$`; echo 4 `echo \\\$`; echo 5 `echo \\\\$`
---
echo "1 `echo $`"; echo "2 `echo \$`"; echo "3 `echo \\$`"; echo "4 `echo \\\$`"; echo "5 `echo \\\\$`"
---
echo "[1 `echo \z`]"; echo "[2 `echo \\z`]"; echo "[3 `echo \\\z`]"; echo "[4 `echo \\\\z`]"
---
x=1; echo `echo $x \$x "\$x" '\$x' '$x' \\\$x` "`echo $x \$x "\$x" '\$x' '$x' \\\$x "a b" \"a  b\"`"
---
echo `echo "\`echo 'q  r'\`"` `n {a,b}$((1+1)) "${u:-d e}" \`n x\``
---
x=~:${undef-~:~}; echo $x; n `n "a b"` "`n \"a b\"`" "`n 'a b'`"
