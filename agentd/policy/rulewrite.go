package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Installs says whether an action adds or removes something that agents can use: that is asked at every level.
func Installs(action string) bool {
	return strings.HasPrefix(action, "tool.install.") || strings.HasPrefix(action, "tool.remove.") ||
		strings.HasSuffix(action, ".tool.install") || strings.HasSuffix(action, ".tool.remove")
}

// RuleFor is the rule that a person makes of one call by "allow and make it a rule": the same agent, tool and action, for
// the same recipient, path or address; of a command or a query that one word for word, for what it does does not say what
// another would; and of what has none of these, for the same arguments and no others. ok is false when no rule may allow
// such a call, or none can say which calls it allows.
func RuleFor(id string, s Subject, outside []string) (r Rule, ok bool) {
	if s.Tier != Yellow && s.Tier != YellowExternal || s.Tainted || Installs(s.Action) {
		return Rule{}, false
	}
	r = Rule{ID: id, Effect: Allow, Agent: s.Agent, Tool: s.Tool, Action: s.Action, Tier: []Tier{s.Tier}, Reason: "made from a request that was allowed"}
	if r.Args, r.Only, ok = testsFor(s, len(outside) > 0); !ok || len(r.wrong()) > 0 {
		return Rule{}, false
	}
	own := &Manifest{Rules: []Rule{r}}
	return r, own.Judge(s).Effect == Allow
}

// testsFor are the tests that tell a call from others of its action; only says that it has no other arguments, ok is false
// when there are no tests. What reaches someone outside is told by its recipient alone.
func testsFor(s Subject, outside bool) (tests map[string]Test, only, ok bool) {
	args := ruleArgs(s.Args)
	text, exact := exactly[s.Tool]
	switch at := stringArg(args, "path"); {
	case exact && outside:
		return nil, false, false
	case exact:
		tests, ok = same(map[string]any{text: args[text]})
	case outside:
		tests, ok = same(map[string]any{"to": args["to"]})
	case s.Tool == toolHTTP:
		tests, ok = sameRequest(args)
	case at != "":
		rel, fine := relative(at, s.Root)
		tests, ok = map[string]Test{"path": {Equals: &rel}}, fine
	default:
		only = true
		tests, ok = same(args)
	}
	return tests, only, ok
}

// sameRequest tells a request by its method and where it goes.
func sameRequest(args map[string]any) (tests map[string]Test, ok bool) {
	address, _, _ := strings.Cut(stringArg(args, "url"), "#")
	where := map[string]any{"method": args["method"], "url": address}
	if tool, named := args["tool"]; named {
		where["tool"] = tool
	}
	return same(where)
}

// same tests that arguments are what they are; ok is false for a list, in which the order counts, and for what is longer
// than a person reads, or empty.
func same(args map[string]any) (tests map[string]Test, ok bool) {
	tests, length := map[string]Test{}, 0
	for name, v := range args {
		word, is := wordOf(v)
		if length += len(word); !is || v == nil || word == "" || length > maxExact {
			return nil, false
		}
		tests[name] = Test{Equals: &word}
	}
	return tests, true
}

// exactly are the tools whose calls are told apart by the whole text of one argument alone.
var exactly = map[string]string{"shell": "command", "sql_query": "query"}

// maxExact is how long the texts of a rule may be: a person reads it.
const maxExact = 1000

func stringArg(args map[string]any, name string) string {
	s, _ := args[name].(string)
	return s
}

// AddRule writes r behind the rules of a manifest and leaves the rest of its text, comments included, as it is.
func AddRule(text []byte, r Rule) ([]byte, error) {
	if _, err := ParseManifest(text); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("add rule: %w", err)
	}
	root := nodeAt(&doc, 0)
	if root == nil || root.Kind != yaml.MappingNode {
		root = emptyManifest(&doc)
	}
	var node yaml.Node
	if err := node.Encode(r); err != nil {
		return nil, fmt.Errorf("add rule: %w", err)
	}
	list := nodeField(root, "rules")
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "rules"}, list)
	}
	list.Kind, list.Tag, list.Value, list.Style = yaml.SequenceNode, "!!seq", "", 0
	list.Content = append(list.Content, &node)
	out, err := writeYAML(&doc)
	if err != nil {
		return nil, err
	}
	_, err = ParseManifest(out)
	return out, err
}

// AppendRule is AddRule for a rule as RuleText gives it.
func AppendRule(text []byte, rule string) ([]byte, error) {
	var rules []Rule
	if err := yaml.Unmarshal([]byte(rule), &rules); err != nil {
		return nil, fmt.Errorf("add rule: %w", err)
	}
	if len(rules) != 1 {
		return nil, fmt.Errorf("add rule: %d rules instead of one", len(rules))
	}
	return AddRule(text, rules[0])
}

// emptyManifest makes doc a manifest without rules.
func emptyManifest(doc *yaml.Node) *yaml.Node {
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Value: "version"}, {Kind: yaml.ScalarNode, Value: "1"},
	}}
	doc.Kind, doc.Content = yaml.DocumentNode, []*yaml.Node{root}
	return root
}

func writeYAML(v any) ([]byte, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return out.Bytes(), e.Close()
}

// RuleText is a rule as it stands in a manifest.
func RuleText(r Rule) (string, error) {
	out, err := writeYAML([]Rule{r})
	return string(out), err
}

// DiffText shows how one text became another, as a unified diff of the lines between what both begin and end with.
func DiffText(name, before, after string) string {
	if before == after {
		return ""
	}
	a, b := manifestLines(before), manifestLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	const context = 3
	from, to := max(0, head-context), min(tail, context)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ -%s +%s @@\n", name, name, span(from, len(a)-tail+to), span(from, len(b)-tail+to))
	put := func(mark string, part []string) {
		for _, l := range part {
			out.WriteString(mark + l + "\n")
		}
	}
	put(" ", a[from:head])
	put("-", a[head:len(a)-tail])
	put("+", b[head:len(b)-tail])
	put(" ", a[len(a)-tail:len(a)-tail+to])
	return out.String()
}

func manifestLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// span is the place of some lines as a diff names it.
func span(from, to int) string {
	if to == from {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// SameFor is what a window may be bound to besides agent and tool: who is reached outside, or the path; empty when
// a call has neither.
func SameFor(c Class, args json.RawMessage, root string) string {
	if len(c.Outside) > 0 {
		all := slices.Clone(c.Outside)
		slices.Sort(all)
		return strings.Join(slices.Compact(all), " ")
	}
	if at := stringArg(ruleArgs(args), "path"); at != "" {
		if rel, ok := relative(at, root); ok {
			return rel
		}
	}
	return ""
}
