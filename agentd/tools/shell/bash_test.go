package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// scripts are texts that only read: the classifier calls each green, and this shell and bash print the same.
var scripts = []string{
	`for f in *.txt; do echo "<$f>"; done`,
	`while read -r l; do echo "[$l]"; done < a.txt`,
	`while read -r a b; do echo "$b|$a"; done <<< "one two three"`,
	`while IFS=, read -r name n; do echo "$name has $n"; done < data.csv`,
	`IFS= read -r l <<< "  kept  "; echo "[$l]"`,
	`read l <<< "  trimmed  "; echo "[$l]"`,
	`cat a.txt | while read -r l; do echo "- $l"; done`,
	`printf 'one two\0three\n\0' | while IFS= read -r -d '' f; do echo "[$f]"; done`,
	`read -d '' x y < a.txt; echo "$?|$x|$y"`, `read -rd '' x <<< "  kept on"; echo "[$x]"`,
	`n=0; while read -r l; do n=$((n+1)); done < a.txt; echo $n`,
	`n=0; cat a.txt | while read -r l; do n=$((n+1)); done; echo $n`,
	`while read -r l; do echo "$l"; done < <(sort a.txt)`,
	`echo $((2+3)) $((7/2)) $((7%3)) $((2**10)) $((1<<4)) $((5>3)) $(( (1+2)*3 ))`,
	`a=3; b=4; echo $((a*b)) $((a+=b)) $a $((a++)) $a $((--b)) $b`,
	`echo "$(( $(wc -l < a.txt) * 10 )) lines"`,
	`x=5; ((x>3)) && echo big; ((x=0)) || echo zero; echo $x`,
	`for ((i=0;i<3;i++)); do echo $i; done`,
	`for ((i=0;i<9;i++)); do if ((i==2)); then continue; fi; if [ $i -gt 4 ]; then break; fi; echo $i; done`,
	`for i in 1 2; do for j in a b; do if [ $j = b ]; then continue 2; fi; echo $i$j; done; done`,
	`for i in 1 2; do for j in a b; do break 2; done; done; echo $i$j`,
	`f() { echo "$# $1 [$2] $@"; }; f a "b c"; f`,
	`f() { local x=1; x=2; echo $x; }; x=9; f; echo $x`,
	`f() { return 3; echo never; }; f; echo $?`,
	`f() { while true; do return 4; done; }; f; echo $?`,
	`add() { echo $(($1+$2)); }; r=$(add 2 3); echo "r=$r"`,
	`show() { for a in "$@"; do echo "<$a>"; done; }; show "x y" z`,
	`all() { for a; do echo "<$a>"; done; }; all p q`,
	`case abc in a*) echo starts;; *) echo no;; esac`,
	`case x in a|b) echo ab;; [w-z]) echo range;; esac`,
	`case a in a) echo one;& b) echo two;; c) echo three;; esac`,
	`case a in a) echo one;;& [a-c]) echo two;; esac`,
	`f=logs/app.log; case "$f" in *.log) wc -l < "$f";; esac`,
	`[[ -f a.txt && -s a.txt ]] && echo file; [[ -d logs ]] && echo dir; [[ ! -e nothing ]] && echo none`,
	`[[ abc == a* ]] && echo glob; [[ abc == "a*" ]] || echo quoted; [[ abc != x ]] && echo differs`,
	`[[ 2026-01 =~ ^[0-9]+-[0-9]+$ ]] && echo date`,
	`[[ 10 -gt 9 && ( 1 -eq 2 || a < b ) ]] && echo yes`,
	`[[ -z "" && -n x ]] && echo empty`,
	`x=report.tar.gz; echo ${x%.gz} ${x%%.*} ${x#*.} ${x##*.} ${#x} ${x/tar/zip} ${x//r/R} ${x:0:6} ${x^^}`,
	`echo ${nothing:-none} ${HOME:+set}; s="a,b,c"; echo ${s//,/ }`,
	`a=(one "two three" four); echo ${a[1]} ${#a[@]}; for x in "${a[@]}"; do echo "<$x>"; done; a+=(five); echo ${a[@]:3}`,
	`x=ab; x+=cd; echo $x`,
	`declare -A n; while read -r w _; do n[$w]=$(( ${n[$w]:-0} + 1 )); done < a.txt; for k in "${!n[@]}"; do echo "$k=${n[$k]}"; done | sort`,
	`declare -A n; for w in a b a; do ((n[$w]++)); done; for k in "${!n[@]}"; do echo "$k ${n[$k]}"; done | sort; for v in "${n[@]}"; do echo $v; done | sort`,
	`declare -A n=([one]=1 ["two words"]=2); n+=([x]=3); n["two words"]=5; ((n[x]*=4)); for k in "${!n[@]}"; do echo "$k: ${n[$k]}"; done | sort`,
	`declare -a a=(x y z); a[1]=b; a[3]=d; ((a[4]=2+3)); echo "${a[@]} ${#a[@]} ${!a[@]}"; for ((i=0; i<2; i++)); do echo ${a[$i]} ${a[i+1]}; done`,
	`f() { declare -A m; m[k]=in; local -a l=(1 2); ((l[0]+=5)); echo ${m[k]} ${l[0]}; }; f; echo "[${m[k]}]"`,
	`declare -A m; m[x]=1; f() { declare -A m; m[x]=9; m[y]=2; echo ${m[x]}; }; f; echo "${m[x]}[${m[y]}]"; r=$(m[x]=5; echo ${m[x]}); echo "$r ${m[x]}"`,
	`x=out; f() { local x=$x-in; echo $x; local -a y; y+=(1 2); echo ${#y[@]}; }; f; echo $x ${#y[@]}`,
	`a=(1); a+=(2); (a+=(3); a[0]=z; echo "${a[@]}"); a+=(4); echo "${a[@]}"; g() { local -a a=(l); a+=(m); echo "${a[@]}"; }; g; echo "${a[@]}"`,
	`i=1; a=(p q); (a[1]=sub; echo ${a[1]}); echo ${a[$i]}; ((a[i]++)) || echo zero; echo ${a[i]}`,
	`xargs -n2 -P1 echo < a.txt`, `printf 'x y\nz\n' > /dev/null; xargs -a a.txt -d '\n' -n1 echo got`, `printf 'a,b,c' | xargs -d, -n1 echo`, `printf '%s\0' 1 '2 3' | xargs -0rn1 echo -`,
	`echo ${nothing-unset} ${HOME+set}; e=; echo "[${e-unset}][${e+set}]"; : "${HOME:?}"; echo on`,
	`mapfile -t l < a.txt; echo "${#l[@]} ${l[2]}"`,
	`diff <(sort a.txt) <(sort -r a.txt) | grep -c '^[<>]'`,
	`comm -12 <(sort a.txt) <(sort b.txt)`,
	`paste -d: <(echo 1) <(echo 2) <(cat b.txt)`,
	`set -e; false || echo going; if false; then :; fi; ! true; false; echo never`,
	`set -o pipefail; false | true; echo $?; set +o pipefail; false | true; echo $?`,
	`set -u; echo ${unset:-fine}; echo ok`,
	`{ set -u; echo start; echo "$nothing"; echo never; } 2>/dev/null`,
	`{ set -u; echo start; x=$nothing; echo never; } 2>/dev/null`,
	`(set -u; echo "$nothing"; echo never) 2>/dev/null; echo behind`,
	`(set -e; false; echo never); echo $?`,
	`(exit 7); echo $?; x=$(exit 5); echo $?`,
	`if [ "$(wc -l < a.txt)" -gt 2 ]; then echo long; fi`,
	`wc -l $(ls *.txt | grep -v space) | tail -1`,
	`head -n $((1+1)) a.txt`,
	`d=logs; for f in "$d"/*.log; do b=$(basename "$f" .log); echo "$b"; done`,
	`t=0; for f in *.txt; do n=$(wc -l < "$f"); t=$((t+n)); done; echo $t`,
	`echo {1..3} {a,b}{x,y} x{1..2}y`,
	`until [ "$x" = xxx ]; do x="x$x"; done; echo $x`,
	`x=1; (x=2; echo $x); echo $x; { x=3; }; echo $x`,
	`export LC_ALL=C; sort data.csv`,
	`echo a b c | xargs -n1 echo item`,
	`ls *.txt | head -1 | xargs -I{} grep -c o {}`,
	`printf '%s\n' b a | sort | while read -r x; do echo "$x$x"; done`,
	`cat <<'X' | wc -w` + "\none two\n$(three)\nX",
	`x=7; cat <<X` + "\nx is $x and $((x+1)) $(echo sub)\nX",
	"seq 3 | tee /dev/null | tail -1; echo done",
}

// TestRun_asBash: what this shell understands, it understands as people know it.
func TestRun_asBash(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, files)
	for _, script := range some(t, scripts) {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
		cmd.Dir, cmd.Env = w.Data, []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + w.Data}
		want, _ := cmd.Output() //nolint:errcheck // some are written to fail, and that shows in what they print
		o := w.Do(t, "shell", command(script))
		got, _, _ := strings.Cut(o.Text, "\n[exit status")
		if o.State != wire.ToolDone || o.Tier != "green" || strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
			t.Errorf("%s\n is %s, %s: %q, bash prints %q", script, o.Tier, o.State, o.Text, want)
		}
	}
}

// TestRun_looksAgainAtVariables: what variables turn out to hold makes a command no worse than it was judged.
func TestRun_looksAgainAtVariables(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, map[string]string{
		"list": "/etc/passwd\n", "flags": "-o\nvictim.txt\n", "secret.env": "CANARY", "names": "secret.env\n", "victim.txt": "precious", "sums": "a[$(touch made)]\n", "x": "",
	})
	for _, script := range some(t, []string{
		`while read -r f; do cat "$f"; done < list`, `cat $(cat list)`, `for f in $(cat names); do cat "$f"; done`, `f=$(cat list); head -1 "$f"`,
		`while read -r f; do [[ -f $f ]] && echo there; done < list`, `mapfile -t l < names; cat "${l[0]}"`, `cat names | xargs -I{} cat {}`,
		`f() { cat "$1"; }; while read -r n; do f "$n"; done < names`, `while read -r n; do echo $((n)); done < sums`, `wc -l $(cat flags)`, `while read -r f; do wc -l < "$f"; done < list`,
		`diff <(cat list) <(cat $(cat names))`,
	}) {
		o := w.Do(t, "shell", command(script))
		if o.Tier != "green" || strings.Contains(o.Text, "CANARY") || strings.Contains(o.Text, "root:") || strings.Contains(o.Text, "there") || w.Has("made") || w.Read(t, "victim.txt") != "precious" {
			t.Errorf("%s\n is %s %s: %s", script, o.Tier, o.State, o.Text)
		}
	}
}
