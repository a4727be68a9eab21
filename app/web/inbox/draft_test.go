package inbox

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
	"gatehouse/app/web/inbox/card"
)

// What a person did not touch leaves the server as it came: not one digit or line break differs.
func TestDraft_untouchedArgumentsStayAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]any{}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}`), 1, 5, rapid.ID).Draw(t, "names") {
			want[name] = rapid.OneOf(
				rapid.Just[any](json.Number("9007199254740993")), rapid.Just[any](json.Number("0.10")), rapid.Just[any](true), rapid.Just[any](nil),
				rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Just[any]([]any{json.Number("1"), "<a>"}),
			).Draw(t, name)
		}
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := compact(t, draftOf(raw).json())
		if wanted := compact(t, raw); got != wanted {
			t.Fatalf("got %s, want %s", got, wanted)
		}
	})
}

// compact gives JSON with sorted names and untouched numbers.
func compact(t *rapid.T, raw json.RawMessage) string {
	var v map[string]json.RawMessage
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for name, value := range v {
		var s string
		if json.Unmarshal(value, &s) == nil {
			v[name], _ = json.Marshal(s)
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestEdited_misfit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, text string
		ok         bool
	}{
		{card.KindText, "anything", true},
		{card.KindNumber, "3", true},
		{card.KindNumber, "-1.5e3", true},
		{card.KindNumber, "", false},
		{card.KindNumber, `"3"`, false},
		{card.KindNumber, `3,"x":1`, false},
		{card.KindNumber, "0x10", false},
		{card.KindNumber, "null", false},
		{card.KindBool, "true", true},
		{card.KindBool, "1", false},
		{card.KindJSON, `{"a":[1]}`, true},
		{card.KindJSON, `{"a":`, false},
		{card.KindJSON, `[1],"x":2`, false},
	} {
		if why := (edited{Arg: card.Arg{Kind: c.kind, Text: c.text}}).misfit(); (why == "") != c.ok {
			t.Errorf("%s %q: %q", c.kind, c.text, why)
		}
	}
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	if got := lineEnds("a\r\nb", "x\ny"); got != "a\nb" {
		t.Errorf("a browser's line breaks stay: %q", got)
	}
	if got := lineEnds("a\r\nb", "x\r\ny"); got != "a\r\nb" {
		t.Errorf("line breaks of the proposal are lost: %q", got)
	}
}
