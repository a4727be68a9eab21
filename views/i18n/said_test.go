package i18n

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// speaker is a part of the programs that says sentences to people, and where they stand in its code.
type speaker struct {
	dir    string         // with all below
	whole  bool           // each text that reads like a sentence is one
	calls  map[string]int // by function: which argument is the sentence
	fields []string       // of a struct, TYPE.NAME or TYPE.NUMBER
	within []string       // functions and variables that hold sentences, or parts of them
	behind []string       // errors of the vault: what follows them, the counter says as a sentence
}

// speakers are those whose sentences reach a page. What a server says of its calls is in agentd/phrase.
var speakers = []speaker{
	{dir: "app", whole: true, calls: map[string]int{"fault.New": 3}},
	{dir: "app/account", calls: map[string]int{"checkName": 1}},
	{dir: "app/provider/vpshost", within: []string{"EnsureDNS", "CheckDNS"}},
	{dir: "app/web/portal/credential/binding.go", calls: map[string]int{"fmt.Errorf": 0}},
	{dir: "db", whole: true, calls: map[string]int{"fault.New": 3}},
	{dir: "jobs", whole: true, calls: map[string]int{"log": 1, "r.late": 3, "order.Final": 0}, within: []string{"minutes"}},
	{dir: "cmd/hub/devmail", calls: map[string]int{"fault.New": 3}},
	{dir: "agentd", fields: []string{"RPCError.Text", "Params.Unreadable"}, calls: map[string]int{"badRequest": 0}},
	{dir: "agentd/schedule", calls: map[string]int{"conflict": 0, "specError": 0, "phraseError": 0}, within: []string{"blocked"}},
	{dir: "agentd/channel", calls: map[string]int{"conflict": 0, "bad": 0}, fields: []string{"Trouble.Text"}},
	{dir: "agentd/hook", calls: map[string]int{"conflict": 0, "unavailable": 0, "refused": 2, "tooMany": 1}, within: []string{"repeated"}},
	{dir: "agentd/eventrule", calls: map[string]int{"conflict": 0}, within: []string{"barred"}},
	{dir: "agentd/team/own.go", calls: map[string]int{"errors.New": 0, "fmt.Errorf": 0, "checkLine": 0}},
	{dir: "agentd/team/load.go", within: []string{"promptOf"}},
	{dir: "agentd/wire/spend.go", within: []string{"Words"}},
	{dir: "agentd/vitals.go", within: []string{"protection"}},
	{dir: "agentd/sandbox", within: []string{"probe", "try"}},
	{dir: "agentd/llm/error.go", whole: true, within: []string{"wait"}},
	{dir: "agentd/runtime/errors.go", whole: true, within: []string{"byWhom"}},
	{dir: "agentd/runtime", fields: []string{"limitError.0", "refusedError.1"}},
	{dir: "agentd/approver", calls: map[string]int{"refusal": 0, "no": 0}, within: []string{"misfit", "malformed"}},
	{dir: "agentd/files", calls: map[string]int{"tool.Refuse": 0}},
	{
		dir: "agentd/policy", calls: map[string]int{"bad": 1}, fields: []string{"Problem.Text", "Problem.1"},
		within: []string{"wrong", "wrongTier", "ParseNodes", "plainYAML", "UnmarshalYAML"},
	},
	{dir: "agentd/tools/dataroot", calls: map[string]int{"tool.Refuse": 0}, within: []string{"say"}},
	{dir: "agentd/tools/filewrite/kept.go", calls: map[string]int{"tool.Refuse": 0}},
	{dir: "agentd/vault", behind: []string{"ErrInvalid", "ErrTooMany"}},
	{dir: "agentd/vault/binding.go", calls: map[string]int{"bad": 0}, within: []string{"Error"}},
	{dir: "agentd/vault/origin.go", within: []string{"Error", "usable"}},
	{dir: "agentd/vault/sparing.go", fields: []string{"allowance.0"}},
	{dir: "agentd/vault/trouble.go", within: []string{"troubles", "Text"}},
	{dir: "agentd/vault/counter", whole: true},
}

// silent are files whose sentences no person reads on a page: tests, figures, and what only programs ask for.
var silent = regexp.MustCompile(`_test\.go$|_templ\.go$|/[a-z]+test/|^app/web/(observe\.go|jsonbody/)`)

// joined are sentences that code puts together, and those of the reader of YAML, which says what is wrong with rules.
var joined = []string{
	"{1} ({2}) Your message is kept; no tool was used. {3}",
	"{1} ({2}) Your message is kept, and so is what the one tool call of this run did; it is not repeated. {3}",
	"{1} ({2}) Your message is kept, and so is what the {3} tool calls of this run did; they are not repeated. {4}",
	"line {1}: {2}; line {3}: {4}", "The secret {1} cannot be used now: {2}; {3}.",
	`{1}: "{2}" is no folder below the data folder`, "{1}: it tests nothing; use equals, one_of, prefix, suffix, glob, under or max",
	"field {1} not found", "did not find expected key", "did not find expected '-' indicator", "did not find expected ',' or ']'",
	"did not find expected ',' or '}'", "mapping values are not allowed in this context", "could not find expected ':'",
	"found character that cannot start any token", "found a tab character that violates indentation",
	"mapping key {1} already defined at line {2}", "cannot unmarshal {1} into {2}",
}

// TestSaid_complete: what programs say to people is in the book of each language.
func TestSaid_complete(t *testing.T) {
	t.Parallel()
	said := readPrograms(t).said
	if len(said) < 300 {
		t.Fatalf("only %d sentences were found", len(said))
	}
	for locale := range books {
		book := sentencesOf(t, locale)
		for text, where := range said {
			if _, ok := book[text]; !ok {
				t.Errorf("%s: said/%s.json has no translation of %q", where, locale, text)
			}
		}
	}
}

// TestSaid_used: what no program says is not kept.
func TestSaid_used(t *testing.T) {
	t.Parallel()
	p := readPrograms(t)
	for locale := range books {
		for text := range sentencesOf(t, locale) {
			if p.said[text] == "" && !p.texts[text] && !slices.Contains(joined, text) {
				t.Errorf("said/%s.json: no program says %q", locale, text)
			}
		}
	}
}

// TestSaid_onPages: a page shows what a fault says in the language of its reader, by web.Told or i18n.Say.
func TestSaid_onPages(t *testing.T) {
	t.Parallel()
	files, set := sources(t)
	found := 0
	for _, f := range files {
		if !strings.HasPrefix(set.Position(f.Pos()).Filename, "../../app/web/") {
			continue
		}
		english := faultsOf(f)
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains([]string{"i18n.Say", "i18n.SayAll", "len"}, nameOf(call.Fun)) {
				found++
				return false
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Public" && sel.Sel.Name != "Fields" {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); isFault(sel.X) || ok && english[x.Name] {
				t.Errorf("%s: %s of a fault reaches a page in English; use web.Told", set.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
	if found == 0 {
		t.Error("nothing is said on any page")
	}
}

// faultsOf are the variables of a file that hold faults in English.
func faultsOf(f *ast.File) map[string]bool {
	all := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && isFault(a.Rhs[0]) {
			if x, ok := a.Lhs[0].(*ast.Ident); ok {
				all[x.Name] = true
			}
		}
		return true
	})
	return all
}

func isFault(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && nameOf(call.Fun) == "fault.Of"
}

// TestSay_german: sentences with values, and with sentences in them.
func TestSay_german(t *testing.T) {
	t.Parallel()
	de := With(t.Context(), German)
	for english, want := range map[string]string{
		"Nobody has translated this: it stays.": "Nobody has translated this: it stays.",
		"Type your name.":                       "Geben Sie Ihren Namen ein.",
		"Your server refused this: no device that may approve has signed it.": "Ihr Server hat das zurückgewiesen: Kein Gerät, " +
			"das freigeben darf, hat es unterschrieben.",
		"This device was not added: the key that vouches for the code does not count: its signature was used before.": "Dieses Gerät " +
			"wurde nicht hinzugefügt: Der Schlüssel, der für den Code bürgt, zählt nicht: Die Unterschrift wurde schon verwendet.",
		"Not saved. These rules have an error: line 3: version must be 1; line 12: the id \"no\" is used twice": "Nicht gespeichert. " +
			"Diese Regeln haben einen Fehler: Zeile 3: version muss 1 sein; Zeile 12: Der Name (id) „no“ kommt zweimal vor",
		"This step did not work. Try 2 of 4 comes in 5 minutes.": "Dieser Schritt hat nicht geklappt. Versuch 2 von 4 folgt in 5 Minuten.",
		"The secret your name cannot be used now: it was deleted in the external vault; the external vault cannot be reached.": "Die " +
			"Zugangsdaten your name lassen sich gerade nicht verwenden: Sie wurden im externen Passwortspeicher gelöscht; " +
			"Der externe Passwortspeicher ist nicht erreichbar.",
		"The model cannot be reached. (no route) Your message is kept; no tool was used. It comes back by itself; if it " +
			"stays so, the server's log says why.": "Das KI-Modell ist nicht erreichbar. (no route) Ihre Nachricht ist gespeichert; " +
			"kein Werkzeug wurde verwendet. Er kommt von selbst wieder; bleibt es dabei, sagt das Protokoll des Servers, warum.",
	} {
		if got := Say(de, english); got != want {
			t.Errorf("%q:\n got %q\nwant %q", english, got, want)
		}
	}
}

var numberSign = regexp.MustCompile(`\{([1-9])#\}`)

// sentencesOf are the English sentences of a book, with plain places.
func sentencesOf(t *testing.T, locale string) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("said/" + locale + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var book map[string]string
	if err := json.Unmarshal(raw, &book); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for english := range book {
		all[numberSign.ReplaceAllString(english, "{$1}")] = true
	}
	return all
}

// programs are the texts in the code of all programs.
type programs struct {
	set   *token.FileSet
	said  map[string]string // to people, and where
	texts map[string]bool   // to anyone
}

func readPrograms(t *testing.T) *programs {
	t.Helper()
	p := &programs{set: token.NewFileSet(), said: map[string]string{}, texts: map[string]bool{}}
	for _, root := range []string{"app", "db", "jobs", "cmd/hub", "agentd"} {
		err := filepath.WalkDir("../../"+root, func(name string, d fs.DirEntry, err error) error {
			rel := strings.TrimPrefix(filepath.ToSlash(name), "../../")
			if err != nil || d.IsDir() || !strings.HasSuffix(rel, ".go") || silent.MatchString(rel) {
				return err
			}
			f, err := parser.ParseFile(p.set, name, nil, parser.SkipObjectResolution)
			if err == nil {
				p.read(rel, f)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// read collects the texts of a file.
func (p *programs) read(name string, f *ast.File) {
	words := source{constants: constantsOf(f)}
	words.each(f, func(at ast.Node, text string) { p.texts[text] = true })
	for _, s := range speakers {
		if strings.HasPrefix(name+"/", s.dir+"/") {
			s.hear(words, f, func(at ast.Node, text string) { p.said[text] = p.set.Position(at.Pos()).String() })
		}
	}
}

// hear finds what a speaker says in a file.
func (s speaker) hear(words source, f *ast.File, found func(ast.Node, string)) {
	tell := func(e ast.Expr) {
		if text, ok := words.text(e); ok && hasWords(text) {
			found(e, text)
		}
	}
	if s.whole {
		words.each(f, func(at ast.Node, text string) {
			if isSentence(text) {
				found(at, text)
			}
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if i, ok := s.calls[nameOf(n.Fun)]; ok && i < len(n.Args) {
				tell(n.Args[i])
			}
			s.followed(words, n, found)
		case *ast.CompositeLit:
			s.inFields(n, tell)
		case *ast.FuncDecl:
			s.inside(words, n.Name.Name, n, found)
		case *ast.ValueSpec:
			s.inside(words, n.Names[0].Name, n, found)
		}
		return true
	})
}

// inFields tells the fields of a struct that hold sentences.
func (s speaker) inFields(lit *ast.CompositeLit, tell func(ast.Expr)) {
	kind := nameOf(lit.Type)
	kind = kind[strings.LastIndexByte(kind, '.')+1:]
	for i, e := range lit.Elts {
		field := strconv.Itoa(i)
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			field, e = nameOf(kv.Key), kv.Value
		}
		if slices.Contains(s.fields, kind+"."+field) {
			tell(e)
		}
	}
}

// inside tells all texts of a function or variable that holds sentences, or parts of them.
func (s speaker) inside(words source, name string, n ast.Node, found func(ast.Node, string)) {
	if !slices.Contains(s.within, name) {
		return
	}
	words.each(n, func(at ast.Node, text string) {
		if strings.HasPrefix(text, " ") {
			text = "{1}" + text // the name of a file goes before
		}
		if rest, ok := strings.CutPrefix(text, "line {1}: "); ok {
			text = numbered(place.ReplaceAllString(rest, "%v")) // the line is told apart
		}
		if hasWords(text) && strings.Contains(text, " ") {
			found(at, text)
		}
	})
}

var place = regexp.MustCompile(`\{[1-9]\}`)

// followed tells what follows an error of the vault, as the counter says it.
func (s speaker) followed(words source, call *ast.CallExpr, found func(ast.Node, string)) {
	if nameOf(call.Fun) != "fmt.Errorf" || len(call.Args) < 2 || !slices.Contains(s.behind, nameOf(call.Args[1])) {
		return
	}
	lit, ok := literal(call.Args[0])
	text, isBehind := strings.CutPrefix(lit, "%w: ")
	if !ok || !isBehind {
		return
	}
	first, n := utf8.DecodeRuneInString(text)
	found(call, numbered(string(unicode.ToUpper(first))+text[n:]+"."))
}

// nameOf is a name as it is written, pkg.Name or Name.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// source reads texts in the code of one file.
type source struct{ constants map[string]ast.Expr }

// constantsOf are the named texts of a file.
func constantsOf(f *ast.File) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	ast.Inspect(f, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				for i, value := range spec.(*ast.ValueSpec).Values {
					all[spec.(*ast.ValueSpec).Names[i].Name] = value
				}
			}
		}
		return true
	})
	return all
}

// each gives each text once, put together where it is a sum of several.
func (s source) each(n ast.Node, found func(ast.Node, string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr, *ast.BasicLit:
			if text, ok := s.text(n.(ast.Expr)); ok {
				found(n, text)
				return false
			}
		case *ast.ImportSpec:
			return false
		}
		return true
	})
}

// text is a text with its places numbered: verbs, and what code puts between.
func (s source) text(e ast.Expr) (string, bool) {
	text, ok := s.open(e)
	return numbered(text), ok
}

// open is a text with %v for what is not written in it.
func (s source) open(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.ParenExpr:
		return s.open(e.X)
	case *ast.Ident:
		if value, ok := s.constants[e.Name]; ok {
			return s.open(value)
		}
	case *ast.CallExpr:
		if nameOf(e.Fun) == "fmt.Sprintf" {
			return s.open(e.Args[0])
		}
	case *ast.BinaryExpr:
		left, known := s.open(e.X)
		right, too := s.open(e.Y)
		if !known {
			left = "%v"
		}
		if !too {
			right = "%v"
		}
		return left + right, e.Op == token.ADD && (known || too)
	}
	return "", false
}

var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)

// numbered puts {1}, {2} in the place of verbs. What %q quotes stands in quotes.
func numbered(text string) string {
	n := 0
	text = verb.ReplaceAllStringFunc(text, func(v string) string {
		n++
		place := "{" + strconv.Itoa(n) + "}"
		if v[len(v)-1] == 'q' {
			return `"` + place + `"`
		}
		return place
	})
	return strings.ReplaceAll(text, "%%", "%")
}

// isSentence says whether a text reads like one that is for people.
func isSentence(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first) && strings.Contains(text, " ") && strings.ContainsAny(text[len(text)-1:], ".:?!")
}

// hasWords says whether a text is more than places.
func hasWords(text string) bool {
	return strings.ContainsFunc(verb.ReplaceAllString(text, ""), unicode.IsLetter)
}
