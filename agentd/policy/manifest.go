package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Manifest is permissions.yaml: the owner's rules, and a rule set for each channel that has one.
type Manifest struct {
	Version  int                `yaml:"version"`
	Guardian string             `yaml:"guardian"` // on, off, or empty: on when a model is configured for it
	Budgets  Budgets            `yaml:"budgets"`  // of one run; stricter than the usual ones
	Expiry   Expiry             `yaml:"expiry"`   // how long questions wait
	Tiers    Tiers              `yaml:"tiers"`    // what counts as riskier than the table says
	Rules    []Rule             `yaml:"rules"`
	Channels map[string]Channel `yaml:"channels"`
}

// Channel is the rule set of one channel. It holds besides the general rules, for what comes from there.
type Channel struct {
	ReadOnly bool   `yaml:"read_only"` // nothing but reads
	Rules    []Rule `yaml:"rules"`
}

// Rule says what to do with the calls that it matches. What is left out matches everything.
type Rule struct {
	ID      string          `yaml:"id"`
	Effect  Effect          `yaml:"effect"`
	Agent   string          `yaml:"agent,omitempty"`   // glob
	Tool    string          `yaml:"tool,omitempty"`    // glob
	Action  string          `yaml:"action,omitempty"`  // glob
	Tier    []Tier          `yaml:"tier,omitempty"`    // one of these
	Origin  []Origin        `yaml:"origin,omitempty"`  // one of these
	Tainted bool            `yaml:"tainted,omitempty"` // only calls behind content from outside; ask and deny only
	Args    map[string]Test `yaml:"args,omitempty"`    // by name; body.status reaches into an object
	Only    bool            `yaml:"only,omitempty"`    // no arguments besides those that Args names; allow only
	Limits  Limits          `yaml:"limits,omitempty"`  // allow and ask only
	Reason  string          `yaml:"reason,omitempty"`  // for people
}

// Origin is the kind of place that a run's message came from.
type Origin string

// The origins. What is not known counts as a channel.
const (
	FromPortal   Origin = "portal"
	FromAPI      Origin = "api"
	FromChannel  Origin = "channel"
	FromSchedule Origin = "schedule"
	FromWebhook  Origin = "webhook"
)

// OriginOf is the kind of a channel by its name.
func OriginOf(channel string) Origin {
	switch o := Origin(channel); o {
	case FromPortal, FromAPI, FromSchedule, FromWebhook:
		return o
	}
	return FromChannel
}

// Bounds of a manifest: it is read on every call.
const (
	maxManifest = 256 << 10
	maxRules    = 500
)

// Problem is one thing that is wrong with a manifest, with the line that it stands in; 0 when no line is to blame.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Problems is everything that is wrong with a manifest.
type Problems []Problem

// Error gives one line for each problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Text
		if one.Line > 0 {
			lines[i] = fmt.Sprintf("line %d: %s", one.Line, one.Text)
		}
	}
	return strings.Join(lines, "; ")
}

// ParseManifest reads permissions.yaml strictly: unknown fields, repeated keys, further documents, anchors and aliases
// are refused. Its error is Problems.
func ParseManifest(text []byte) (*Manifest, error) {
	doc, err := ParseNodes(text)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return &Manifest{Version: 1}, nil
	}
	return typedManifest(text, doc)
}

// ParseNodes reads permissions.yaml as far as it is YAML in which everything means what it seems to, whatever it says; nil when
// it says nothing. Its error is Problems.
func ParseNodes(text []byte) (*yaml.Node, error) {
	if len(text) > maxManifest {
		return nil, Problems{{0, fmt.Sprintf("it is larger than %d bytes", maxManifest)}}
	}
	var doc yaml.Node
	lines := &lineReader{rest: text}
	d := yaml.NewDecoder(lines)
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxProblem(err, text, max(lines.read, 1))
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, Problems{{0, "it holds more than one document"}}
	}
	if p := plainYAML(&doc); len(p) > 0 {
		return nil, p
	}
	return &doc, nil
}

// typedManifest decodes what is plain, and checks what it says.
func typedManifest(text []byte, doc *yaml.Node) (*Manifest, error) {
	m := &Manifest{}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	if err := strict.Decode(m); err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadableYAML(err)
	}
	if p := checkManifest(m, doc); len(p) > 0 {
		return nil, p
	}
	return m, nil
}

// lineReader gives one line at a time and counts them, so that the count tells how far a parser got.
type lineReader struct {
	rest []byte
	read int
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	end := bytes.IndexByte(r.rest, '\n') + 1
	if end == 0 {
		end = len(r.rest)
	}
	n := copy(p, r.rest[:end])
	if r.rest = r.rest[n:]; n == end {
		r.read++
	}
	return n, nil
}

// syntaxProblem names the line in which YAML stops being readable. Where the library expected something else, it names the line
// before the broken list or mapping. For one in brackets the next line has the open bracket. Otherwise it is the last line that
// the library read, or the one before if the text breaks there already.
func syntaxProblem(err error, text []byte, lastRead int) Problems {
	all := unreadableYAML(err)
	switch one := &all[0]; {
	case !strings.HasPrefix(one.Text, "did not find expected"):
	case strings.HasPrefix(one.Text, "did not find expected ','"):
		one.Line = min(one.Line+1, lastRead)
	default:
		one.Line = lastRead
		before := bytes.Join(bytes.SplitAfter(text, []byte("\n"))[:lastRead-1], nil)
		if yaml.Unmarshal(before, new(yaml.Node)) != nil {
			one.Line--
		}
	}
	return all
}

// unreadableYAML turns an error of the YAML reader, which names its lines itself, into problems.
func unreadableYAML(err error) Problems {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return Problems{problemOf(strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	var all Problems
	for _, e := range te.Errors {
		all = append(all, problemOf(e))
	}
	return all
}

// problemOf takes the line out of "line 7: what".
func problemOf(s string) Problem {
	var line int
	if _, err := fmt.Sscanf(s, "line %d:", &line); err != nil {
		return Problem{0, s}
	}
	_, s, _ = strings.Cut(s, ": ")
	if before, _, ok := strings.Cut(s, " in type "); ok {
		s = before
	}
	return Problem{line, s}
}

// plainYAML refuses what makes a document mean something else than it seems to.
func plainYAML(n *yaml.Node) (all Problems) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return Problems{{n.Line, "anchors and aliases are not used here"}}
	case strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!"), n.Tag == "!!binary", n.Tag == "!!merge":
		return Problems{{n.Line, "tags are not used here"}}
	}
	for _, c := range n.Content {
		all = append(all, plainYAML(c)...)
	}
	return all
}

// checkManifest finds what is wrong with the meaning of a manifest.
func checkManifest(m *Manifest, doc *yaml.Node) (all Problems) {
	root := nodeAt(doc, 0)
	if m.Version != 1 {
		all = append(all, Problem{nodeLine(nodeField(root, "version"), root), "version must be 1"})
	}
	if m.Guardian != "" && m.Guardian != "on" && m.Guardian != "off" {
		all = append(all, Problem{nodeLine(nodeField(root, "guardian")), "guardian must be on or off"})
	}
	if why := m.Budgets.wrong(); why != "" {
		all = append(all, Problem{nodeLine(nodeField(root, "budgets")), why})
	}
	if why := m.Expiry.wrong(); why != "" {
		all = append(all, Problem{nodeLine(nodeField(root, "expiry")), why})
	}
	if name, why := m.Tiers.wrong(); why != "" {
		all = append(all, Problem{nodeLine(nodeField(nodeField(root, "tiers"), name)), why})
	}
	seen := map[string]bool{}
	all = append(all, checkRules(m.Rules, nodeField(root, "rules"), seen)...)
	channels := nodeField(root, "channels")
	for _, name := range keysOf(m.Channels) {
		all = append(all, checkRules(m.Channels[name].Rules, nodeField(nodeField(channels, name), "rules"), seen)...)
	}
	if len(seen) > maxRules {
		all = append(all, Problem{0, fmt.Sprintf("it holds more than %d rules", maxRules)})
	}
	return all
}

func checkRules(rules []Rule, list *yaml.Node, seen map[string]bool) (all Problems) {
	for i, r := range rules {
		node := nodeAt(list, i)
		for _, f := range r.wrong() {
			all = append(all, Problem{nodeLine(nodeField(node, f.field), node), f.text})
		}
		if seen[r.ID] {
			all = append(all, Problem{nodeLine(nodeField(node, "id"), node), fmt.Sprintf("the id %q is used twice", r.ID)})
		}
		seen[r.ID] = true
	}
	return all
}

// nodeField is the value of a key of a mapping; nil when there is none.
func nodeField(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func nodeAt(n *yaml.Node, i int) *yaml.Node {
	if n == nil || i >= len(n.Content) {
		return nil
	}
	return n.Content[i]
}

// nodeLine is where the first of these nodes stands.
func nodeLine(nodes ...*yaml.Node) int {
	for _, n := range nodes {
		if n != nil {
			return n.Line
		}
	}
	return 0
}

func keysOf[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Duration is a time such as 90s, 10m or 2h.
type Duration time.Duration

// UnmarshalYAML reads the usual form, above zero and of at most a week.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v <= 0 || v > 7*24*time.Hour {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is no time between 1s and 168h", n.Line, n.Value)}}
	}
	*d = Duration(v)
	return nil
}

// MarshalYAML writes the usual form.
func (d Duration) MarshalYAML() (any, error) { return time.Duration(d).String(), nil }

// GuardianMode is what the owner has set: on, off or empty.
func (m *Manifest) GuardianMode() string { return orEmpty(m).Guardian }
