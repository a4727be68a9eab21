package runtime

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/lazyre"
	"gatehouse/agentd/policy"
)

// showsOperands are programs that show nothing of any file but of those that their operands name, each with the flags that
// change nothing about that. showsNames are those that show names and figures alone. Of any other program, and of any other
// flag, it is not known here what it shows.
var (
	showsOperands = map[string]string{
		"cat": "AbEensTtuv", "head": "cnqv", "tail": "cnqv", "wc": "clmLw", "nl": "abnsvw", "tac": "", "rev": "", "cut": "bcdfs", "tr": "cdst",
		"sort": "bdfghiknMRrstuV", "uniq": "cdiu", "grep": "ABCcEeFhHiLlmnoqsvwx", "cmp": "bls", "diff": "bBiquwy", "md5sum": "b", "sha256sum": "b",
		"cp": "afinpRrv", "mv": "finv", "ln": "fnsv", "sed": "n", "tee": "a",
	}
	showsNames = map[string]string{
		"ls": "1AaCcdFghiklmnopqRrSsTtUux", "echo": "neE", "printf": "", "pwd": "LP", "date": "dIu", "df": "ahikmPT", "du": "abchkmsx", "free": "bghkmtw", "uptime": "p", "whoami": "", "id": "gnu",
		"hostname": "", "uname": "amnrs", "nproc": "", "ps": "Aaefjlux", "stat": "c", "basename": "", "dirname": "", "mkdir": "pv", "touch": "acm", "rm": "firRv", "rmdir": "p",
		"true": "", "false": "", "sleep": "",
	}
	// picksLines is all of sed that reads no further file.
	picksLines = lazyre.MustCompile(`^[0-9]+(,([0-9]+|\$))?p$`)
)

// reach is which files a command may show: those that its operands lead to, or, as far as can be told, any.
type reach struct {
	any      bool
	operands []string
}

// reachOf reads it from the text of a command. What is not plainly written out may be any file.
func reachOf(command string) reach {
	file, err := policy.ParseShell(command)
	if err != nil {
		return reach{any: true}
	}
	r := &reach{}
	r.list(file.Stmts)
	return *r
}

func (r *reach) list(all []*syntax.Stmt) {
	for _, s := range all {
		r.stmt(s)
	}
}

func (r *reach) stmt(s *syntax.Stmt) {
	r.any = r.any || s.Background || s.Coprocess
	for _, to := range s.Redirs {
		r.redirect(to)
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.any = r.any || len(c.Assigns) > 0
		r.call(c.Args)
	case *syntax.BinaryCmd:
		r.stmt(c.X)
		r.stmt(c.Y)
	default:
		r.any = true
	}
}

func (r *reach) redirect(to *syntax.Redirect) {
	word, plain := plainWord(to.Word)
	r.any = r.any || !plain || to.Hdoc != nil
	r.operands = append(r.operands, word)
}

func (r *reach) call(args []*syntax.Word) {
	words := make([]string, len(args))
	plain := true
	for i, w := range args {
		var ok bool
		words[i], ok = plainWord(w)
		plain = plain && ok
	}
	if len(words) == 0 {
		return
	}
	prog, words := words[0], words[1:]
	flags, content := showsOperands[prog]
	if names, ok := showsNames[prog]; ok {
		flags = names
	} else if !content {
		r.any = true
	}
	if prog == "sed" && (len(words) < 2 || words[0] != "-n" || !picksLines.MatchString(words[1])) {
		r.any = true
	}
	operands := slices.DeleteFunc(words, func(w string) bool { return known(w, flags) })
	flagged := slices.ContainsFunc(operands, func(w string) bool { return strings.HasPrefix(w, "-") && w != "-" })
	r.any = r.any || !plain || flagged
	if content {
		r.operands = append(r.operands, operands...)
	}
}

// flagLike is a group of flags of one letter, with a number or a mark behind.
var flagLike = lazyre.MustCompile(`^-([A-Za-z0-9]+)[0-9,;:|+-]*$`)

// known says whether a word is made of these flags alone.
func known(word, flags string) bool {
	m := flagLike.FindStringSubmatch(word)
	return m != nil && strings.Trim(m[1], flags+"0123456789") == ""
}

// plainWord is the text of a word that is written out: no part of it is worked out when it runs.
func plainWord(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", true
	}
	text, plain := "", true
	for _, p := range w.Parts {
		part, ok := plainPart(p)
		text, plain = text+part, plain && ok
	}
	return text, plain && !strings.HasPrefix(text, "~")
}

// meaning is a backslash between double quotes that takes the meaning of what follows, and does not stand for itself.
var meaning = lazyre.MustCompile("\\\\[$`\"\\\\\n]")

func plainPart(p syntax.WordPart) (string, bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, `*?[]{}\`)
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		text, plain := "", !p.Dollar
		for _, in := range p.Parts {
			lit, ok := in.(*syntax.Lit)
			if !ok || meaning.MatchString(lit.Value) {
				return "", false
			}
			text += lit.Value
		}
		return text, plain
	}
	return "", false
}
