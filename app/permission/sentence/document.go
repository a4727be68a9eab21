package sentence

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/policy"
)

// ErrText says that the text cannot be changed row by row without changing something else in it. It can be changed as a text.
var ErrText = errors.New("these rules cannot be changed row by row")

// Document is permissions.yaml while its rows are changed.
type Document struct {
	text    string
	top     *yaml.Node // the mapping that holds everything
	doc     *yaml.Node
	changed bool
	gone    []string // comments of what was removed
}

// Read reads a text. Its error is policy.Problems when the text is no YAML, or has parts that mean something else than they
// seem to. Rules that are wrong in another way are read: Faults says what is wrong with them.
func Read(text string) (*Document, error) {
	doc, err := policy.ParseNodes([]byte(text))
	if err != nil {
		return nil, err
	}
	if doc == nil || len(doc.Content) == 0 || isNull(doc.Content[0]) {
		doc, err = begun(text)
	}
	if err != nil {
		return nil, err
	}
	if !listsRules(doc.Content[0]) {
		_, err := policy.ParseManifest([]byte(text))
		return nil, errors.Join(ErrText, err)
	}
	return &Document{text: text, doc: doc, top: doc.Content[0]}, nil
}

// listsRules says whether rules are where rows are looked for, or may be written there.
func listsRules(top *yaml.Node) bool {
	listed := func(n *yaml.Node, kind yaml.Kind) bool { return n == nil || n.Kind == kind || isNull(n) }
	channels := child(top, "channels")
	ok := top.Kind == yaml.MappingNode && listed(child(top, "rules"), yaml.SequenceNode) && listed(channels, yaml.MappingNode)
	for _, c := range pairs(channels) {
		ok = ok && listed(c.value, yaml.MappingNode) && listed(child(c.value, "rules"), yaml.SequenceNode)
	}
	return ok
}

// begun is a document that says nothing yet, with the comments that it has.
func begun(text string) (*yaml.Node, error) {
	if strings.Trim(text, " \n") != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	doc, err := policy.ParseNodes([]byte(text + "version: 1\n"))
	if err != nil || len(doc.Content) == 0 {
		return nil, errors.Join(ErrText, err)
	}
	return doc, nil
}

// ruleSet is a list of rules: those for all, or those of a channel.
type ruleSet struct {
	channel string
	in      *yaml.Node // the mapping that has the list
	list    *yaml.Node // nil: it has none
}

// sets are all lists of rules.
func (d *Document) sets() []ruleSet {
	all := []ruleSet{{"", d.top, rulesIn(d.top)}}
	for _, c := range pairs(child(d.top, "channels")) {
		if c.value.Kind == yaml.MappingNode && oneLine(c.key.Value) && c.key.Value != "" {
			all = append(all, ruleSet{c.key.Value, c.value, rulesIn(c.value)})
		}
	}
	return all
}

func rulesIn(n *yaml.Node) *yaml.Node {
	if l := child(n, "rules"); l != nil && l.Kind == yaml.SequenceNode {
		return l
	}
	return nil
}

// place is where a rule stands.
type place struct {
	ruleSet
	at int
}

func (p place) node() *yaml.Node { return p.list.Content[p.at] }

// places are those of all rules, in the order of the rows.
func (d *Document) places() (all []place) {
	for _, s := range d.sets() {
		if s.list == nil {
			continue
		}
		for i := range s.list.Content {
			all = append(all, place{s, i})
		}
	}
	return all
}

// Rows are all rules: those for all, then those of each channel.
func (d *Document) Rows() []Row {
	var rows []Row
	for _, p := range d.places() {
		rows = append(rows, rowOf(p.node(), p.channel))
	}
	return rows
}

// Set writes row i. What the text has and no form can hold stays.
func (d *Document) Set(i int, row Row) {
	all := d.places()
	if i < 0 || i >= len(all) {
		return
	}
	node := all[i].node()
	was := rowOf(node, all[i].channel)
	row = row.plain()
	if row.same(was) {
		return
	}
	before := comments(node)
	writer{node, was, row}.write()
	for _, line := range comments(node) {
		if i := slices.Index(before, line); i >= 0 {
			before = slices.Delete(before, i, i+1)
		}
	}
	d.gone = append(d.gone, before...)
	d.changed = true
}

// Add writes a new rule behind the others of its channel and gives its number. Without an id it gets one that says what it is
// about.
func (d *Document) Add(row Row) int {
	row = row.plain()
	if row.ID == "" {
		row.ID = d.newID(row)
	}
	set := d.setOf(row.Channel)
	if set.list == nil {
		set.list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		put(set.in, "rules", set.list, nil)
	}
	if l := set.list; len(l.Content) == 0 { // [] takes no lines
		l.Style = 0
		l.HeadComment, l.LineComment = strings.TrimSpace(l.HeadComment+"\n"+l.LineComment), ""
	}
	node := mapping(set.list.Style)
	writer{node, Row{}, row}.write()
	set.list.Content = append(set.list.Content, node)
	d.changed = true
	return slices.IndexFunc(d.places(), func(p place) bool { return p.node() == node })
}

// setOf is the rule set of a channel; one that is not known yet is made.
func (d *Document) setOf(channel string) ruleSet {
	for _, s := range d.sets() {
		if s.channel == channel {
			return s
		}
	}
	channels := child(d.top, "channels")
	if channels == nil || channels.Kind != yaml.MappingNode {
		channels = mapping(0)
		put(d.top, "channels", channels, nil)
	}
	in := mapping(0)
	put(channels, channel, in, nil)
	return ruleSet{channel: channel, in: in}
}

// newID is a name that no rule has: what the rule is about, with a number if it has to be.
func (d *Document) newID(row Row) string {
	base := strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) {
			return r
		}
		return -1
	}, strings.ToLower(row.Agent+"-"+row.Tool)), "-_")
	if base = base[:min(len(base), 50)]; base == "" {
		base = "rule"
	}
	known := map[string]bool{}
	for _, p := range d.places() {
		known[rowOf(p.node(), "").ID] = true
	}
	id := base
	for n := 2; known[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// Remove takes row i out, with the comments that stand at it.
func (d *Document) Remove(i int) {
	all := d.places()
	if i < 0 || i >= len(all) {
		return
	}
	p := all[i]
	d.gone = append(d.gone, comments(p.node())...)
	p.list.Content = slices.Delete(p.list.Content, p.at, p.at+1)
	if len(p.list.Content) == 0 {
		p.list.Style = yaml.FlowStyle
	}
	d.changed = true
}

// Move puts row i by places further down among the rules of its channel, or up, and gives where it stands then.
func (d *Document) Move(i, by int) int {
	all := d.places()
	if i < 0 || i >= len(all) {
		return i
	}
	p, to := all[i], all[i].at+by
	if to < 0 || to >= len(p.list.Content) {
		return i
	}
	node := p.node()
	p.list.Content = slices.Insert(slices.Delete(p.list.Content, p.at, p.at+1), to, node)
	d.changed = true
	return i + by
}

// Text is the document as a text: the one that was read, to the letter, when nothing was changed. Its error is ErrText when
// YAML cannot write what was changed without changing more.
func (d *Document) Text() (string, error) {
	if !d.changed {
		return d.text, nil
	}
	text, err := encode(d.doc)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrText, err)
	}
	var again yaml.Node
	if err := yaml.Unmarshal([]byte(text), &again); err != nil || !alike(d.doc, &again) {
		return "", fmt.Errorf("%w: they read otherwise than they were written", ErrText)
	}
	if lost := d.lost(text); len(lost) > 0 {
		return "", fmt.Errorf("%w: the comment %q would be lost", ErrText, lost[0])
	}
	return text, nil
}

// alike compares what two documents say, regardless of how it is written.
func alike(a, b *yaml.Node) bool {
	value := a.Value == b.Value || a.ShortTag() == "!!null" // which has several spellings
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || !value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !alike(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// comments are the lines of all comments in a node.
func comments(n *yaml.Node) (lines []string) {
	for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.SplitSeq(c, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	for _, c := range n.Content {
		lines = append(lines, comments(c)...)
	}
	return lines
}

// lost are the comments that a new text no longer has, but for those of what was removed: of the text that was read, as far as
// they have lines of their own, and of the nodes.
func (d *Document) lost(text string) (lost []string) {
	have := map[string]int{}
	for line := range strings.SplitSeq(text, "\n") {
		if at := strings.IndexByte(line, '#'); at >= 0 {
			have[strings.TrimSpace(line[at:])]++
		}
	}
	for _, line := range d.gone {
		have[line]++
	}
	had := map[string]int{}
	for line := range strings.SplitSeq(d.text, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			had[line]++
		}
	}
	inTree := map[string]int{}
	for _, line := range comments(d.doc) {
		inTree[line]++
	}
	for line, n := range inTree {
		had[line] = max(had[line], n)
	}
	for _, line := range slices.Sorted(maps.Keys(had)) {
		if have[line] < had[line] {
			lost = append(lost, line)
		}
	}
	return lost
}
