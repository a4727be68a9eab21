package inbox

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/pmezard/go-difflib/difflib"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/web/inbox/card"

	views "gatehouse/views/inbox"
)

// draft is the arguments of a call as a person is changing them.
type draft []edited

// edited is one argument: as it was proposed, and as it stands now.
type edited struct {
	card.Arg
	was string
}

func (e edited) props() views.FieldProps {
	return views.FieldProps{Name: e.Name, Kind: e.Kind, Value: e.Text, Proposal: e.was, Changed: e.Text != e.was, Diff: linesOf(e.was, e.Text)}
}

// ran is what a person made of the arguments before they allowed the call, each beside what was proposed.
func ran(a wire.Approval) []views.FieldProps {
	var out []views.FieldProps
	left := map[string]string{}
	for _, was := range card.Parse(a.Args) {
		left[was.Name] = was.Text
	}
	for _, now := range card.Parse(a.Edited) {
		out = append(out, edited{Arg: now, was: left[now.Name]}.props())
		delete(left, now.Name)
	}
	if len(out) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		out = append(out, edited{Arg: card.Arg{Name: name}, was: left[name]}.props())
	}
	return out
}

func draftOf(args json.RawMessage) draft {
	var d draft
	for _, a := range card.Parse(args) {
		d = append(d, edited{Arg: a, was: a.Text})
	}
	return d
}

// typed reads what a person made of the arguments, and what does not fit its kind, by name. An argument that the form
// does not hold stays as it was proposed.
func typed(c echo.Context, args json.RawMessage) (draft, map[string]string) {
	d, bad := draftOf(args), map[string]string{}
	form, err := c.FormParams()
	if err != nil {
		return d, map[string]string{"": "The form could not be read. Send it again."}
	}
	for i := range d {
		values, sent := form["args."+d[i].Name]
		if !sent || len(values) == 0 {
			continue
		}
		d[i].Text = lineEnds(values[len(values)-1], d[i].was)
		if why := d[i].misfit(); why != "" {
			bad[d[i].Name] = why
		}
	}
	return d, bad
}

// rescued is what a person typed about arguments that the hub has no more, as text.
func rescued(c echo.Context) draft {
	form, err := c.FormParams()
	if err != nil {
		return nil
	}
	var d draft
	for _, field := range slices.Sorted(maps.Keys(form)) {
		if name, ok := strings.CutPrefix(field, "args."); ok {
			d = append(d, edited{Arg: card.Arg{Name: name, Kind: card.KindText, Text: lineEnds(c.FormValue(field), "")}})
		}
	}
	return d
}

// lineEnds undoes what browsers do to line breaks in a text field.
func lineEnds(typed, was string) string {
	if strings.Contains(was, "\r\n") {
		return typed
	}
	return strings.ReplaceAll(typed, "\r\n", "\n")
}

// misfit says why a value is not of its argument's kind.
func (e edited) misfit() string {
	switch e.Kind {
	case card.KindNumber:
		text := strings.TrimSpace(e.Text)
		if text == "" || !strings.ContainsAny(text[:1], "-0123456789") || !json.Valid([]byte(text)) {
			return "Write a number."
		}
	case card.KindBool:
		if e.Text != "true" && e.Text != "false" {
			return "Choose yes or no."
		}
	case card.KindJSON:
		if !json.Valid([]byte(e.Text)) {
			return "Write valid JSON."
		}
	}
	return ""
}

// kinds tells the script, which signs the arguments, how each field becomes one.
func (d draft) kinds() string {
	type field struct {
		Kind string `json:"kind"`
		CRLF bool   `json:"crlf,omitempty"` // line breaks stay as the browser sends them
	}
	all := make(map[string]field, len(d))
	for _, e := range d {
		all[e.Name] = field{e.Kind, strings.Contains(e.was, "\r\n")}
	}
	b, _ := json.Marshal(all) // strings and bools always have JSON
	return string(b)
}

func (d draft) changed() bool {
	for _, e := range d {
		if e.Text != e.was {
			return true
		}
	}
	return false
}

// json is the whole arguments, in the order of the proposal. Every value has passed misfit.
func (d draft) json() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range d {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(e.Name))
		b.WriteByte(':')
		if e.Kind == card.KindText {
			b.Write(quoted(e.Text))
		} else {
			b.WriteString(strings.TrimSpace(e.Text))
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// quoted writes a JSON string as the server does: < and & stay themselves.
func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has JSON
	return bytes.TrimSpace(b.Bytes())
}

// linesOf is the difference of two texts of several lines, "" when they are equal or too short to compare by line.
func linesOf(was, now string) string {
	if was == now || !strings.Contains(was+now, "\n") {
		return ""
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: lines(was), B: lines(now), Context: 2})
	if err != nil {
		return ""
	}
	return text
}

func lines(s string) []string { return difflib.SplitLines(s) }

// decidedAlready is what an edit of a closed approval meets.
func decidedAlready(it approval.Item) error {
	e := &approval.DecidedError{Decision: it.Verb, State: it.State}
	if it.DecidedBy != nil {
		e.By, e.Time = it.DecidedBy.Name, it.DecidedBy.Time
	}
	return e
}
