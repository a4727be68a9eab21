package sentence_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/policy"
	_ "gatehouse/agentd/seeded"
	"gatehouse/app/permission/sentence"
)

// words are texts that a person types, among them those that YAML reads as something else.
var words = []string{
	"secretary", "it-*", "yes", "no", "null", "~", "5", "0x10", "1e3", "12:30", "a: b", "# c", "- d", "'", "\"", "{", "[x]", "&a", "*b",
	"!t", "|", ">", "%", "@x", "`", " lead", "trail ", "ä", "日本", "a#b", "a #b",
	"?", ":", "true", "=", "<<", "2026-01-01", "a,b", "\\n", "😀",
}

func word() *rapid.Generator[string] {
	says := func(s string) bool { return strings.TrimSpace(s) != "" }
	return rapid.OneOf(rapid.SampledFrom(words), rapid.StringMatching(`[ -~]{1,12}`).Filter(says))
}

func some(all []string) *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		var out []string
		for _, one := range all {
			if rapid.Bool().Draw(t, one) {
				out = append(out, one)
			}
		}
		return out
	})
}

func amount(units []string) *rapid.Generator[sentence.Amount] {
	return rapid.Custom(func(t *rapid.T) sentence.Amount {
		numbers := rapid.SampledFrom([]string{"", "1", "7", "15", "90", "x", "1.5", "-3"})
		return sentence.Amount{N: numbers.Draw(t, "n"), Unit: rapid.SampledFrom(units).Draw(t, "unit")}
	})
}

func tests() *rapid.Generator[[]sentence.Test] {
	return rapid.Custom(func(t *rapid.T) []sentence.Test {
		var out []sentence.Test
		for range rapid.IntRange(0, 4).Draw(t, "tests") {
			one := sentence.Test{
				Arg: rapid.OneOf(rapid.SampledFrom([]string{"to", "path", "body.status", ""}), word()).Draw(t, "arg"),
				How: rapid.SampledFrom(sentence.Hows).Draw(t, "how"), Value: rapid.OneOf(rapid.Just(""), word()).Draw(t, "value"),
			}
			if one.How == sentence.OneOf && one.Value != "" {
				one.Value += "\n" + word().Draw(t, "value2")
			}
			out = append(out, one)
		}
		return out
	})
}

// row draws what may stand in a form, right or wrong.
func row() *rapid.Generator[sentence.Row] {
	maybe := func(g *rapid.Generator[string]) *rapid.Generator[string] { return rapid.OneOf(rapid.Just(""), g) }
	count := rapid.SampledFrom([]string{"", "1", "20", "0", "x", "0x10", "1_000", "-1", "2.5"})
	return rapid.Custom(func(t *rapid.T) sentence.Row {
		return sentence.Row{
			ID:     rapid.OneOf(rapid.StringMatching(`[a-z]{1,6}`), word()).Draw(t, "id"),
			Effect: rapid.SampledFrom(sentence.Effects).Draw(t, "effect"),
			Agent:  maybe(word()).Draw(t, "agent"), Tool: maybe(word()).Draw(t, "tool"), Action: maybe(word()).Draw(t, "action"),
			Tiers: some(sentence.Tiers).Draw(t, "tiers"), Origins: some(sentence.Origins).Draw(t, "origins"),
			Tainted: rapid.Bool().Draw(t, "tainted"), Only: rapid.Bool().Draw(t, "only"), Tests: tests().Draw(t, "tests"),
			Limits: sentence.Limits{
				Calls: count.Draw(t, "calls"), Per: amount(sentence.SpanUnits).Draw(t, "per"),
				Cooldown: amount(sentence.SpanUnits).Draw(t, "cooldown"),
				Hours: sentence.Hours{
					From: maybe(rapid.SampledFrom([]string{"08:00", "9", "25:00"})).Draw(t, "from"),
					To:   maybe(rapid.SampledFrom([]string{"18:00", "24:00", "x"})).Draw(t, "to"),
					Zone: maybe(rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Mars"})).Draw(t, "zone"),
					Days: some(sentence.Days).Draw(t, "days"),
				},
				Recipients: count.Draw(t, "recipients"), Bytes: amount(sentence.SizeUnits).Draw(t, "bytes"),
				Money: maybe(rapid.SampledFrom([]string{"12", "12.5", "12.50", "0.99", "0x10", "1,000.00", "x"})).Draw(t, "money"),
			},
			Reason: maybe(word()).Draw(t, "reason"),
		}
	})
}

// plainly is a row as it comes back from the text: tests of one argument stand together, amounts in their usual unit.
func plainly(t interface{ Fatal(...any) }, r sentence.Row) sentence.Row {
	d, err := sentence.Read("")
	if err != nil {
		t.Fatal(err)
	}
	d.Add(r)
	text, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	again, err := sentence.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return again.Rows()[0]
}

// TestDocument_random: whatever is typed into a form comes back from the text as it was typed, rows that nobody touched say
// the same to the server, and what the builder finds nothing wrong with the server takes.
func TestDocument_random(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d, err := sentence.Read(whole)
		if err != nil {
			t.Fatal(err)
		}
		want := d.Rows()
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			n := rapid.IntRange(0, max(len(want)-1, 0)).Draw(t, "row")
			switch rapid.SampledFrom([]string{"set", "add", "move", "remove"}).Draw(t, "step") {
			case "add":
				r := row().Draw(t, "new")
				at := d.Add(r)
				want = slices.Insert(want, at, plainly(t, r))
			case "move":
				if len(want) == 0 {
					continue
				}
				to := d.Move(n, 1)
				want[n], want[to] = want[to], want[n]
			case "remove":
				if len(want) == 0 {
					continue
				}
				d.Remove(n)
				want = slices.Delete(want, n, n+1)
			default:
				if len(want) == 0 {
					continue
				}
				r := row().Draw(t, "other")
				r.Channel = want[n].Channel
				d.Set(n, r)
				kept := want[n].Kept
				want[n] = plainly(t, r)
				want[n].Channel, want[n].Kept = r.Channel, kept
			}
		}
		text, err := d.Text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := sentence.Read(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := again.Rows(); !equal(got, want) {
			t.Fatalf("got  %+v\nwant %+v\n%s", got, want, text)
		}
		faults, err := d.Faults()
		if err != nil {
			t.Fatal(err)
		}
		_, err = policy.ParseManifest([]byte(text))
		if (err == nil) && len(faults) > 0 && slices.ContainsFunc(faults, func(f sentence.Fault) bool { return f.Kind == "" }) {
			t.Fatalf("the server takes it, but %+v\n%s", faults, text)
		}
		if err != nil && len(faults) == 0 {
			t.Fatalf("nothing is wrong, but %v\n%s", err, text)
		}
		for i := range again.Rows() { // what nobody changes stays to the letter
			again.Set(i, again.Rows()[i])
		}
		if same, err := again.Text(); err != nil || same != text {
			t.Fatalf("%v: %q became %q", err, text, same)
		}
	})
}

// equal compares rows; tests count as sets, for those of one argument stand together.
func equal(a, b []sentence.Row) bool {
	key := func(r sentence.Row) string {
		slices.SortFunc(r.Tests, func(x, y sentence.Test) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
		return fmt.Sprintf("%+v", r)
	}
	return slices.EqualFunc(a, b, func(x, y sentence.Row) bool { return key(x) == key(y) })
}

// FuzzText: no text makes the rows lose anything. A change of one rule and back leaves what all rules say as it was.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		whole, "", "version: 1\n", "rules: [", "rules: {}", "version: 1\nrules:\n  - 5\n",
		"version: 1\nrules: [{id: a, effect: ask, args: {to: {equals: \"\"}}}]\n",
		"# a\nversion: 1 # b\n# c\nrules: # d\n  # e\n  - id: x # f\n    # g\n    effect: ask\n  # h\n# i\n",
		"version: 1\nrules:\n- id: a\n  effect: allow\n  tier: yellow\n",
		"version: 1\nrules:\n  - id: a\n    effect: ask\n    limits: {max_bytes: 1_000, rate: 3/1h30m, cooldown: 1500ms}\n",
		"version: 1\nrules:\n  - {id: a, effect: deny, reason: |-\n      x}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		was, err := policy.ParseManifest([]byte(text))
		d, unread := sentence.Read(text)
		if unread != nil {
			var problems policy.Problems
			if !errors.As(unread, &problems) && !errors.Is(unread, sentence.ErrText) {
				t.Fatalf("%T %v", unread, unread)
			}
			return
		}
		if same, err := d.Text(); err != nil || same != text {
			t.Fatalf("%v: it became %q", err, same)
		}
		rows := d.Rows()
		if err != nil || len(rows) == 0 {
			return
		}
		changed := rows[0]
		changed.Agent += "x"
		d.Set(0, changed)
		there, err := d.Text()
		if err != nil {
			return // it says so, and the text stays
		}
		back, err := sentence.Read(there)
		if err != nil {
			t.Fatalf("%v\n%s", err, there)
		}
		back.Set(0, rows[0])
		again, err := back.Text()
		if err != nil {
			return
		}
		if is, err := policy.ParseManifest([]byte(again)); err != nil || !reflect.DeepEqual(was, is) {
			t.Fatalf("%v\n%s\nbecame\n%s", err, text, again)
		}
	})
}
