package sentence_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/policy"
	"gatehouse/app/permission/sentence"
)

// set has every setting beside the rules, with comments and what no form can hold.
const set = `version: 1
guardian: on # always
# not too much
budgets:
  deletes: 5
  bytes: 1_000 # about
  money: 2550
expiry:
  yellow_external: 2h
  red: 30m # short
tiers:
  social_post: critical_red
  file_write: yellow_external
rules: []
channels:
  discord: {read_only: true}
  slack:
    rules:
      - {id: quiet, effect: deny, tool: shell}
`

// TestSettings: all of them stand in the form, or are kept.
func TestSettings(t *testing.T) {
	t.Parallel()
	got := read(t, set).Settings()
	want := sentence.Settings{
		Guardian: "on", Budgets: sentence.Budgets{Deletes: "5", Money: "25.50"},
		Waits: []sentence.Wait{
			{Tier: "yellow_external", For: sentence.Amount{N: "2", Unit: "hour"}},
			{Tier: "red", For: sentence.Amount{N: "30", Unit: "minute"}},
		},
		Lifts:    []sentence.Lift{{Name: "social_post", Tier: "critical_red"}},
		Channels: []sentence.Channel{{Name: "discord", ReadOnly: true}, {Name: "slack"}},
		Kept: []sentence.Kept{
			{Field: "budgets.bytes", Text: "bytes: 1_000 # about"},
			{Field: "tiers.file_write", Text: "file_write: yellow_external"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestSetSettings: each of them is changed, added and taken out, and nothing else with it.
func TestSetSettings(t *testing.T) {
	t.Parallel()
	kept := strings.Replace(set, "  file_write: yellow_external\n", "", 1) // which the server does not take
	for what, change := range map[string]func(*sentence.Settings){
		"nothing":      func(*sentence.Settings) {},
		"guardian":     func(s *sentence.Settings) { s.Guardian = "off" },
		"guardian out": func(s *sentence.Settings) { s.Guardian = "" },
		"deletes":      func(s *sentence.Settings) { s.Budgets.Deletes = "3" },
		"files":        func(s *sentence.Settings) { s.Budgets.Files = "7" },
		"money":        func(s *sentence.Settings) { s.Budgets.Money = "9.99" },
		"money out":    func(s *sentence.Settings) { s.Budgets.Money = "" },
		"wait":         func(s *sentence.Settings) { s.Waits[1].For = sentence.Amount{N: "2", Unit: "day"} },
		"wait more": func(s *sentence.Settings) {
			s.Waits = append(s.Waits, sentence.Wait{Tier: "critical_red", For: sentence.Amount{N: "5", Unit: "minute"}})
		},
		"waits out":   func(s *sentence.Settings) { s.Waits = nil },
		"lift":        func(s *sentence.Settings) { s.Lifts[0].Tier = "forbidden" },
		"lift more":   func(s *sentence.Settings) { s.Lifts = append(s.Lifts, sentence.Lift{Name: "shell", Tier: "red"}) },
		"lifts out":   func(s *sentence.Settings) { s.Lifts = nil },
		"channel":     func(s *sentence.Settings) { s.Channels[1].ReadOnly = true },
		"channel not": func(s *sentence.Settings) { s.Channels[0].ReadOnly = false },
		"channel more": func(s *sentence.Settings) {
			s.Channels = append(s.Channels, sentence.Channel{Name: "matrix", ReadOnly: true})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := read(t, kept)
			want := d.Settings()
			change(&want)
			d.SetSettings(want)
			changed := text(t, d)
			if got := read(t, changed).Settings(); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v\n%s", got, want, changed)
			}
			if what == "nothing" && changed != kept {
				t.Errorf("it became\n%s", changed)
			}
			if m := manifest(t, changed); m.Budgets.Bytes != 1000 || m.Channels["slack"].Rules[0].ID != "quiet" {
				t.Errorf("%+v", m)
			}
			if faults, err := read(t, changed).Faults(); err != nil || len(faults) > 0 {
				t.Errorf("%+v %v", faults, err)
			}
		})
	}
}

// TestSettings_faults: what is no number, and what the server would not take, is said.
func TestSettings_faults(t *testing.T) {
	t.Parallel()
	d := read(t, "version: 1\n")
	d.SetSettings(sentence.Settings{
		Budgets: sentence.Budgets{Deletes: "many", Files: "9999", Money: "1.2.3", Bytes: sentence.Amount{N: "x", Unit: "MB"}},
		Waits: []sentence.Wait{
			{Tier: "red", For: sentence.Amount{N: "soon", Unit: "day"}},
			{Tier: "green", For: sentence.Amount{N: "1", Unit: "minute"}},
		},
	})
	faults, err := d.Faults()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []sentence.Kind
	for _, f := range faults {
		if f.Row >= 0 {
			t.Errorf("row %d: %+v", f.Row, f)
		}
		kinds = append(kinds, f.Kind)
	}
	for _, k := range []sentence.Kind{sentence.BadCount, sentence.BadSize, sentence.BadMoney, sentence.BadSpan} {
		if !slices.Contains(kinds, k) {
			t.Errorf("%s is not said: %+v", k, faults)
		}
	}
}

// TestFaults_zero: none at all is no limit to the server, so it cannot be set as one.
func TestFaults_zero(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		kind sentence.Kind
	}{
		"recipients":        {"rules:\n  - {id: a, tool: message, effect: ask, limits: {max_recipients: 0}}\n", sentence.BadCount},
		"money":             {"rules:\n  - {id: a, tool: message, effect: ask, limits: {max_money: 0}}\n", sentence.BadMoney},
		"deletions at once": {"budgets: {deletes: 0}\n", sentence.BadCount},
		"money at once":     {"budgets: {money: 0}\n", sentence.BadMoney},
	} {
		faults, err := read(t, "version: 1\n"+c.text).Faults()
		if err != nil || len(faults) != 1 || faults[0].Kind != c.kind {
			t.Errorf("%s: %+v, %v", name, faults, err)
		}
	}
}

// TestSettings_random: whatever is set comes back, and the rules stay as they were.
func TestSettings_random(t *testing.T) {
	t.Parallel()
	maybe := func(all ...string) *rapid.Generator[string] { return rapid.SampledFrom(append(all, "")) }
	rapid.Check(t, func(t *rapid.T) {
		d, err := sentence.Read(whole)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			s := d.Settings()
			s.Guardian = maybe("on", "off").Draw(t, "guardian")
			s.Budgets = sentence.Budgets{
				Deletes: maybe("1", "20", "x").Draw(t, "deletes"), Changes: maybe("7").Draw(t, "changes"),
				Files: maybe("9").Draw(t, "files"), Recipients: maybe("3").Draw(t, "recipients"),
				Bytes: amount(sentence.SizeUnits).Draw(t, "bytes"), Money: maybe("1.50", "y").Draw(t, "money"),
			}
			s.Waits, s.Lifts = nil, nil
			for _, tier := range some(sentence.Tiers).Draw(t, "waits") {
				s.Waits = append(s.Waits, sentence.Wait{Tier: tier, For: amount(sentence.SpanUnits).Draw(t, "for")})
			}
			for _, name := range some(words).Draw(t, "lifts") {
				s.Lifts = append(s.Lifts, sentence.Lift{Name: name, Tier: rapid.SampledFrom(sentence.LiftTiers).Draw(t, "to")})
			}
			d.SetSettings(s)
			text, err := d.Text()
			if err != nil {
				t.Fatalf("%v", err)
			}
			again, err := sentence.Read(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			var want sentence.Settings
			want.Guardian, want.Budgets, want.Lifts = s.Guardian, s.Budgets, s.Lifts
			got := again.Settings()
			if got.Guardian != want.Guardian || len(got.Lifts) != len(want.Lifts) || got.Budgets.Deletes != want.Budgets.Deletes {
				t.Fatalf("got  %+v\nwant %+v\n%s", got, want, text)
			}
			if !reflect.DeepEqual(again.Rows(), d.Rows()) || len(got.Kept) > 0 {
				t.Fatalf("%+v\n%s", got.Kept, text)
			}
			faults, err := d.Faults()
			if _, bad := policy.ParseManifest([]byte(text)); err != nil || bad != nil && len(faults) == 0 {
				t.Fatalf("%v %v: %+v\n%s", err, bad, faults, text)
			}
			d = again
		}
	})
}
