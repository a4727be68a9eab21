package main

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// redactLines are what the command is asked and how each answer begins.
func redactLines(t *testing.T, known string) []string {
	t.Helper()
	line := func(v map[string]any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	secret := []map[string]string{{"name": "shop.key", "value": known}}
	return []string{
		line(map[string]any{"id": "first", "text": "Grüße, the key is " + known + " – ende", "known": secret}),
		line(map[string]any{"id": 2, "text": base64.StdEncoding.EncodeToString([]byte("ä" + known)), "known": secret}),
		line(map[string]any{"id": "empty", "text": "nothing of interest 42", "known": []map[string]string{{"name": "a", "value": ""}, {"name": "b", "value": "4"}, {"name": "c", "value": " "}}}),
		`no JSON`,
		line(map[string]any{"id": "no text"}),
		``,
		line(map[string]any{"id": nil, "text": "password: " + "Tr0ub4" + "dor&3", "other": true}),
		line(map[string]any{"id": "last", "text": ""}),
	}
}

// Every line has its answer, in order, whatever stands in the line, and offsets are bytes of the text that came in.
func TestCheckRedact(t *testing.T) {
	t.Parallel()
	known := strings.Join([]string{"vK8", "pQ2mX", "w9Zt4", "LrBa"}, "")
	in := redactLines(t, known)
	out, _, code := invoke(t, strings.Join(in, "\n"), "check", "redact")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	want := []struct {
		id, name string
		found    int
		failed   bool
	}{{`"first"`, "shop.key", 1, false}, {`2`, "shop.key", 1, false}, {`"empty"`, "", 0, false}, {`null`, "", 0, true}, {`"no text"`, "", 0, true}, {`null`, "", 0, true}, {`null`, "", 1, false}, {`"last"`, "", 0, false}}
	if code != 0 || len(lines) != len(want) {
		t.Fatalf("exit %d, %d lines: %s", code, len(lines), out)
	}
	for i, w := range want {
		var got redactedLine
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		if string(got.ID) != w.id && !(w.id == "null" && got.ID == nil) || (got.Error != "") != w.failed || len(got.Findings) != w.found || got.Findings == nil || strings.Contains(lines[i], known) {
			t.Errorf("line %d: %s", i+1, lines[i])
			continue
		}
		if w.found > 0 && got.Findings[0].Name != w.name {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
		checkOffsets(t, in[i], got)
	}
}

// checkOffsets holds the findings of a line against its text: in order, on the borders of characters, and all that was
// changed.
func checkOffsets(t *testing.T, line string, got redactedLine) {
	t.Helper()
	var q planted
	if json.Unmarshal([]byte(line), &q) != nil || q.Text == nil {
		return
	}
	at, rest := 0, got.Text
	for _, f := range got.Findings {
		if f.Start < at || f.End <= f.Start || f.End > len(*q.Text) || !utf8.ValidString((*q.Text)[:f.Start]) || !utf8.ValidString((*q.Text)[f.End:]) {
			t.Fatalf("%+v in %q", f, *q.Text)
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, (*q.Text)[at:f.Start]); !ok || !strings.HasPrefix(rest, "[") {
			t.Fatalf("%q became %q", *q.Text, got.Text)
		}
		rest, at = rest[strings.IndexByte(rest, ']')+1:], f.End
	}
	if rest != (*q.Text)[at:] {
		t.Fatalf("%q became %q", *q.Text, got.Text)
	}
}
