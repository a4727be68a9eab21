package card

import (
	"bytes"
	"encoding/json"
	"strings"

	"gatehouse/agentd/wire"

	view "gatehouse/views/inbox"
)

// Kinds of argument, as they are edited.
const (
	KindText   = "text"   // a string
	KindNumber = "number" // kept digit by digit
	KindBool   = "bool"
	KindJSON   = "json" // a list or an object
)

// Arg is one argument of a call.
type Arg struct {
	Name string
	Kind string
	Text string // what a person reads and edits
}

// lineLength is how long a value may be to stand in one line.
const lineLength = 72

// Args gives the arguments in the order in which the server wrote them. What is no JSON object has none.
func Args(raw json.RawMessage) []view.ArgProps {
	list := Parse(raw)
	out := make([]view.ArgProps, 0, len(list))
	for _, a := range list {
		long := len(a.Text) > lineLength || strings.ContainsRune(a.Text, '\n')
		out = append(out, view.ArgProps{Name: a.Name, Text: a.Text, Long: long, Code: a.Kind != KindText || a.Name == "command" || a.Name == "path"})
	}
	return out
}

// Parse reads the arguments of a call; numbers keep every digit.
func Parse(raw json.RawMessage) []Arg {
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

// editable says whether every argument has a field to edit it in.
func editable(raw json.RawMessage) bool { return len(Parse(raw)) > 0 }

// Diff numbers the lines of a proposed change.
func Diff(d *wire.Diff) *view.DiffProps {
	if d == nil {
		return nil
	}
	return &view.DiffProps{Path: d.Path, New: d.New, Added: d.Added, Removed: d.Removed, Lines: diffLines(d.Unified)}
}
