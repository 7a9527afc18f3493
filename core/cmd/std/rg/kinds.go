package rg

import (
	"sort"
	"strings"
)

// types are ripgrep's file types that people use, with their globs.
const types = `asm: *.S, *.asm, *.s
awk: *.awk
bat: *.bat
bzip2: *.bz2, *.tbz2
c: *.[chH], *.[chH].in, *.cats
clojure: *.clj, *.cljc, *.cljs, *.cljx
cmake: *.cmake, CMakeLists.txt
config: *.cfg, *.conf, *.config, *.ini
cpp: *.[ChH], *.[ChH].in, *.[ch]pp, *.[ch]pp.in, *.[ch]xx, *.[ch]xx.in, *.cc, *.cc.in, *.hh, *.hh.in, *.inl
cs: *.cs
csharp: *.cs
css: *.css, *.scss
csv: *.csv
cython: *.pxd, *.pxi, *.pyx
dart: *.dart
diff: *.diff, *.patch
docker: *Dockerfile*
dockercompose: docker-compose.*.yml, docker-compose.yml
elixir: *.eex, *.ex, *.exs, *.heex, *.leex, *.livemd
elm: *.elm
erlang: *.erl, *.hrl
fish: *.fish
go: *.go
gradle: *.gradle
graphql: *.graphql, *.graphqls
groovy: *.gradle, *.groovy
gzip: *.gz, *.tgz
h: *.h, *.hh, *.hpp
haskell: *.c2hs, *.cpphs, *.hs, *.hsc, *.lhs
html: *.ejs, *.htm, *.html
ini: *.ini
java: *.java, *.jsp, *.jspx, *.properties
jinja: *.j2, *.jinja, *.jinja2
js: *.cjs, *.js, *.jsx, *.mjs, *.vue
json: *.json, composer.lock
jsonl: *.jsonl
julia: *.jl
jupyter: *.ipynb, *.jpynb
kotlin: *.kt, *.kts
less: *.less
license: *LICEN[CS]E*, AGPL-*[0-9]*, APACHE-*[0-9]*, BSD-*[0-9]*, CC-BY-*, COPYING, COPYING[.-]*, COPYRIGHT, COPYRIGHT[.-]*, EULA, EULA[.-]*, GFDL-*[0-9]*, GNU-*[0-9]*, GPL-*[0-9]*, LGPL-*[0-9]*, MIT-*[0-9]*, MPL-*[0-9]*, OFL-*[0-9]*, PATENTS, PATENTS[.-]*, UNLICEN[CS]E, UNLICEN[CS]E[.-]*, agpl[.-]*, gpl[.-]*, lgpl[.-]*, licen[cs]e, licen[cs]e.*
lisp: *.el, *.jl, *.lisp, *.lsp, *.sc, *.scm
lock: *.lock, package-lock.json
log: *.log
lua: *.lua
make: *.mak, *.mk, [Gg][Nn][Uu]makefile, [Gg][Nn][Uu]makefile.am, [Gg][Nn][Uu]makefile.in, [Mm]akefile, [Mm]akefile.am, [Mm]akefile.in
markdown: *.markdown, *.md, *.mdown, *.mdwn, *.mdx, *.mkd, *.mkdn
md: *.markdown, *.md, *.mdown, *.mdwn, *.mdx, *.mkd, *.mkdn
nix: *.nix
objc: *.h, *.m
ocaml: *.ml, *.mli, *.mll, *.mly
org: *.org, *.org_archive
pdf: *.pdf
perl: *.PL, *.perl, *.pl, *.plh, *.plx, *.pm, *.t
php: *.php, *.php3, *.php4, *.php5, *.php7, *.php8, *.pht, *.phtml
protobuf: *.proto
ps: *.cdxml, *.ps1, *.ps1xml, *.psd1, *.psm1
py: *.py, *.pyi
python: *.py, *.pyi
r: *.R, *.Rmd, *.Rnw, *.r
readme: *README, README*
rst: *.rst
ruby: *.gemspec, *.rb, *.rbw, .irbrc, Gemfile, Rakefile, config.ru
rust: *.rs
sass: *.sass, *.scss
scala: *.sbt, *.scala
sh: *.bash, *.bashrc, *.csh, *.cshrc, *.ksh, *.kshrc, *.sh, *.tcsh, *.zsh, .bash_login, .bash_logout, .bash_profile, .bashrc, .cshrc, .kshrc, .login, .logout, .profile, .tcshrc, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc, bash_login, bash_logout, bash_profile, bashrc, profile, zlogin, zlogout, zprofile, zshenv, zshrc
sql: *.psql, *.sql
svelte: *.svelte
svg: *.svg
swift: *.swift
systemd: *.automount, *.conf, *.device, *.link, *.mount, *.path, *.scope, *.service, *.slice, *.socket, *.swap, *.target, *.timer
tcl: *.tcl
tex: *.bib, *.cls, *.dtx, *.ins, *.ltx, *.sty, *.tex
tf: *.auto.tfvars, *.tf, *.tf.json, *.tfvars, *.tfvars.json, *.tfrc, terraform.rc
toml: *.toml, Cargo.lock
ts: *.cts, *.mts, *.ts, *.tsx
txt: *.txt
typescript: *.cts, *.mts, *.ts, *.tsx
vim: *.vim, .gvimrc, .vimrc, _gvimrc, _vimrc, gvimrc, vimrc
vue: *.vue
xml: *.dtd, *.rng, *.sch, *.xhtml, *.xjb, *.xml, *.xml.dist, *.xsd, *.xsl, *.xslt
xz: *.txz, *.xz
yaml: *.yaml, *.yml
zig: *.zig
zip: *.zip
zsh: *.zsh, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc, zlogin, zlogout, zprofile, zshenv, zshrc
`

// typeGlobs are the globs of a type, or of all.
func typeGlobs(name string) (globs []string, ok bool) {
	for _, line := range strings.Split(types, "\n") {
		n, list, _ := strings.Cut(line, ": ")
		if n != "" && (n == name || name == "all") {
			globs, ok = append(globs, strings.Split(list, ", ")...), true
		}
	}
	sort.Strings(globs)
	return globs, ok
}
