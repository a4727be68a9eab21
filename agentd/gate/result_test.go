package gate

import (
	"strings"
	"testing"

	"gatehouse/agentd/ingress"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

type marking struct{}

func (marking) Wrap(source, sender, id, text string) (string, []string) {
	b := ingress.Wrap(source, sender, id, text, 0)
	return b.Text, b.Patterns
}

// TestTrim_secretsOutside: what comes from outside holds no known secret when a model reads it, however it was written:
// making invisible signs visible, other character sets valid and long texts shorter does not take one apart first.
func TestTrim_secretsOutside(t *testing.T) { //nolint:paralleltest // it puts in its own engine
	const plain, spiced = "Tulip-Meadow-Harbor", "Käsebrötchen-für-Jörg"
	before := redact.Current()
	t.Cleanup(func() { redact.Use(before) })
	redact.Use(redact.NewWith([]redact.Known{{Name: "crm.password", Value: plain}, {Name: "crm.login", Value: spiced}}))
	p := &pipeline{Gate: &Gate{deps: Deps{Ingress: marking{}}}, toolEntry: toolEntry{def: tool.Definition{Name: "http_request"}}}
	for what, text := range map[string]string{
		"plain": plain, "zero width": "Tulip-\u200bMeadow-\u200bHarbor", "soft hyphens": "Tulip-\u00adMeadow-\u00adHarbor",
		"byte order mark": "Tulip-Mea\ufeffdow-Harbor", "carriage return": "Tulip-\rMeadow-Harbor",
		"two bytes each": wide(plain), "Latin-1": latin1(spiced),
		"across the cut": strings.Repeat("\u200bab ", 4368) + plain,
	} {
		for _, outside := range []bool{true, false} {
			in := tool.Result{Text: "it is " + text + " they said", Meta: map[string]any{MetaOutside: outside, MetaSource: "crm", MetaID: "1"}}
			if out := p.prepareResult(in).Text; !strings.Contains(out, "[SECRET:crm.") && len(out) < ingress.Budget {
				t.Errorf("%s, from outside %v: %.300q", what, outside, out)
			} else if strings.Contains(out, plain[:9]) || strings.Contains(out, "sebr") {
				t.Errorf("%s, from outside %v, leaves %.300q", what, outside, out[max(0, len(out)-300):])
			}
		}
	}
}

// TestClip_otherCharacters: a sentence in another character set is cleaned before it is made valid.
func TestClip_otherCharacters(t *testing.T) { //nolint:paralleltest // it puts in its own engine
	before := redact.Current()
	t.Cleanup(func() { redact.Use(before) })
	redact.Use(redact.NewWith([]redact.Known{{Name: "crm.login", Value: "Käsebrötchen-für-Jörg"}}))
	for _, n := range []int{30, 500} {
		if out := clip(latin1("no entry for Käsebrötchen-für-Jörg, sorry"), n); strings.Contains(out, "sebr") {
			t.Errorf("cut to %d bytes: %q", n, out)
		}
	}
}

// wide writes a text in UTF-16, the lower byte first.
func wide(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func latin1(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}
