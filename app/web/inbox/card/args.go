package card

import (
	"bytes"
	"encoding/json"
	"slices"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/views/ui"

	view "gatehouse/views/inbox"
)

// Kinds of argument, as they are edited.
const (
	KindText   = "text"   // a string
	KindNumber = "number" // kept digit by digit
	KindBool   = "bool"
	KindJSON   = "json" // a list, an object or nothing
)

// Arg is one argument of a call.
type Arg struct {
	Name string
	Kind string
	Text string // what a person reads and edits
}

// order is how people expect the arguments of the tools that we know; others follow as the server wrote them.
var order = []string{"to", "subject", "path", "command", "target", "task", "text", "content"}

// Parse reads the arguments of a call, what people look for first in front; numbers keep every digit. What is no JSON
// object has none.
func Parse(raw json.RawMessage) []Arg {
	out := parse(raw)
	slices.SortStableFunc(out, func(a, b Arg) int { return place(a.Name) - place(b.Name) })
	return out
}

func place(name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

func parse(raw json.RawMessage) []Arg {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []Arg
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		key, _ := name.(string)
		out = append(out, arg(key, value))
	}
	return out
}

func arg(name string, value json.RawMessage) Arg {
	var s string
	switch value[0] {
	case '"':
		if json.Unmarshal(value, &s) == nil {
			return Arg{Name: name, Kind: KindText, Text: s}
		}
	case 't', 'f':
		return Arg{Name: name, Kind: KindBool, Text: string(value)}
	case '{', '[', 'n':
		var b bytes.Buffer
		if json.Indent(&b, value, "", "  ") == nil {
			return Arg{Name: name, Kind: KindJSON, Text: b.String()}
		}
	}
	return Arg{Name: name, Kind: KindNumber, Text: string(value)}
}

// read is what a card shows of the arguments of a call. Readers share it and change nothing of it.
type read struct {
	args  []ui.Arg
	draft *ui.Draft
	edit  bool   // there is something to edit
	shown string // all of them, in canonical form; empty: they are not those that the server asks about
}

// asked names an approval that waits; its digest binds the arguments.
type asked struct{ id, digest string }

var before view.Memory[asked, read]

// contentsOf reads the arguments, unless they were read a moment ago.
func contentsOf(a wire.Approval) read {
	if len(a.Args) == 0 {
		return read{} // it was read without contents
	}
	name, waits := asked{a.ID, a.Digest}, a.State == wire.ApprovalPending && a.Digest != ""
	if r, ok := before.Get(name); waits && ok {
		return r
	}
	args := Parse(a.Args)
	r := read{edit: len(args) > 0 && a.Tool != answers, shown: shown(a)}
	r.args, r.draft = arguments(a, args)
	if waits {
		before.Put(name, r)
	}
	return r
}

// shown is the text that whoever signs compares with what they sign, if it is what the server asked about.
func shown(a wire.Approval) string {
	text, err := canonical.JSON(a.Args)
	if err != nil || !a.Shows(text) {
		return ""
	}
	return string(text)
}

// arguments gives what the card lists, and apart from it the letter that would go outside. Every argument stands on
// the card once: what the letter or the diff shows in full is not listed again.
func arguments(a wire.Approval, args []Arg) ([]ui.Arg, *ui.Draft) {
	letter := draft(a.Tool, args)
	out := make([]ui.Arg, 0, len(args))
	for _, g := range args {
		inLetter := letter != nil && slices.Contains([]string{"to", "subject", "text"}, g.Name)
		inDiff := whole(a.Diff) && g.Name == "content"
		if !inLetter && !inDiff {
			out = append(out, ui.Arg{Name: g.Name, Value: g.Text})
		}
	}
	return out, letter
}

// answers is the tool by which channels send answers: each as it waits in the outbox of its server, which takes no edit of one.
const answers = "channel_send"

// draft is the letter that a call would send.
func draft(tool string, args []Arg) *ui.Draft {
	if tool != "message" && tool != answers {
		return nil
	}
	var d ui.Draft
	for _, g := range args {
		switch {
		case g.Kind != KindText:
		case g.Name == "to":
			d.To = g.Text
		case g.Name == "subject":
			d.Subject = g.Text
		case g.Name == "text":
			d.Body = g.Text
		}
	}
	if d.To == "" {
		return nil
	}
	return &d
}
