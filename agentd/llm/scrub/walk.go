package scrub

import (
	"slices"
	"strings"

	"gatehouse/agentd/llm/jsontree"
)

// leaf is one text of a request.
type leaf struct {
	at   *string // where it stands; what is written there is sent
	role string  // whose words it belongs to
	id   uint64  // of the text it was; 0 for one that has none
}

// nest is a text that is JSON itself, such as the arguments of a call. Its values are leaves; when one of them changed
// it is written anew.
type nest struct {
	at   *string
	root *jsontree.Value
	was  string // root as it is written, before anything was taken out
}

// walk goes through one request.
type walk struct {
	s      *Scrubber
	leaves []*leaf // in the order in which the model reads them
	nests  []*nest // outer ones before those in them
	packed []*packed
	row    []*jsontree.Value // numbers since the last value of another kind
	found  int
	depth  int // of JSON within JSON
}

// maxNests is how often JSON may be written into JSON before it is looked at as text alone.
const maxNests = 4

// place is where a value stands.
type place struct {
	role string
	form bool // the field says how something is, not what: no part of any text
}

// forms are the fields that every request has and that hold no words. They are cleaned like all others, but a secret
// cut in two does not go on in them.
var forms = map[string]bool{
	"role": true, "type": true, "id": true, "call_id": true, "tool_call_id": true, "tool_use_id": true, "model": true,
	"status": true, "object": true, "media_type": true, "mime_type": true, "detail": true, "format": true, "cache_control": true,
}

func (w *walk) value(v *jsontree.Value, p place) error {
	if v.Kind != jsontree.Number && v.Kind != jsontree.Array {
		w.rowEnds()
	}
	switch v.Kind {
	case jsontree.String:
		return w.text(&v.Text, p)
	case jsontree.Number:
		w.number(v)
	case jsontree.Array:
		for _, item := range v.Items {
			if err := w.value(item, p); err != nil {
				return err
			}
		}
	case jsontree.Object:
		return w.object(v, p)
	}
	return nil
}

func (w *walk) object(v *jsontree.Value, p place) error {
	if role := whose(v); role != "" {
		p.role = role
	}
	renamed := false
	for i := range v.Members {
		m := &v.Members[i]
		if err := w.member(v, m, p); err != nil {
			return err
		}
		key, n := w.s.Text(m.Key)
		w.found += n
		renamed = renamed || key != m.Key
		m.Key = key
	}
	if renamed && w.depth == 0 && ambiguous(v) {
		return refused("two keys of one object are secrets")
	}
	return nil
}

func (w *walk) member(of *jsontree.Value, m *jsontree.Member, p place) error {
	p.form = forms[m.Key]
	if w.depth == 0 && attached(of, *m) {
		return w.attachment(of, m.Value, p)
	}
	return w.value(m.Value, p)
}

// whose are the words of an object: of the role it names, or of its kind.
func whose(v *jsontree.Value) string {
	if role := v.Str("role"); role != "" {
		return role
	}
	switch kind := v.Str("type"); kind {
	case "tool_result", "tool_use", "function_call", "function_call_output":
		return kind
	}
	return ""
}

func ambiguous(v *jsontree.Value) bool {
	keys := map[string]bool{}
	for _, m := range v.Members {
		if keys[m.Key] {
			return true
		}
		keys[m.Key] = true
	}
	return false
}

// number makes a text of a number that is a secret.
func (w *walk) number(v *jsontree.Value) {
	clean, n := w.s.Text(v.Text)
	w.found += n
	if clean != v.Text {
		v.Kind, v.Text = jsontree.String, clean
		w.rowEnds()
		return
	}
	w.row = append(w.row, v)
}

// text cleans one text. One that is JSON is cleaned inside first: a value in it may be written with escapes that no
// secret was ever written with.
func (w *walk) text(at *string, p place) error {
	if root := w.nested(*at); root != nil {
		w.nests = append(w.nests, &nest{at, root, string(root.Append(nil))})
		w.depth++
		defer func() { w.depth-- }()
		err := w.value(root, place{role: p.role})
		w.rowEnds()
		return err
	}
	m := w.s.look(*at)
	*at = m.clean
	w.found += len(m.findings)
	if !p.form && m.clean != "" {
		w.leaves = append(w.leaves, &leaf{at, p.role, m.id})
	}
	return nil
}

// nested reads a text that is an object or array of JSON, nil when it is none.
func (w *walk) nested(text string) *jsontree.Value {
	t := strings.TrimLeft(text, " \t\r\n")
	if w.depth >= maxNests || t == "" || t[0] != '{' && t[0] != '[' {
		return nil
	}
	root, err := jsontree.ParseLoose(text)
	if err != nil {
		return nil
	}
	return root
}

// finish writes the texts that are JSON anew where something in them changed, and looks at each as a whole; then the
// attachments that hold them.
func (w *walk) finish() {
	for _, n := range slices.Backward(w.nests) {
		text := *n.at
		if now := string(n.root.Append(nil)); now != n.was {
			text = now
		}
		clean, found := w.s.Text(text)
		w.found += found
		*n.at = clean
	}
	for _, p := range w.packed {
		p.finish()
	}
}
