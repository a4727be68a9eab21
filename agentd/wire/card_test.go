package wire

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
)

// toldOf is an approval that says all that one can say.
func toldOf() Approval {
	return Approval{
		ID: "ap", Digest: "d1", Action: "files.file.write", Summary: "Change <prices>", Reason: "You\x00asked \u2028 for it", WhyAsked: "it writes",
		Facts: []Fact{{Name: "bytes", Value: 12, Text: "12 bytes"}}, Destination: "a@example.com",
		Diff:     &Diff{Path: "a.txt", Unified: "@@ -1 +1 @@\n-a\n+b\n", New: true, Added: 1, Removed: 2},
		Taint:    []TaintSource{{Source: "mail", ID: "m1"}},
		Guardian: &Judgement{Verdict: "escalate", Reason: "odd", Model: "small", MS: 7, Failed: true},
		Rule:     &RuleProposal{ID: "r", Text: "- allow", Diff: "+- allow", Base: 3},
	}
}

// TestApproval_Says is the text that is hashed, spelled out: both ends and every script write it like this.
func TestApproval_Says(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Approval{
		`{"action":"","destination":"","reason":"","summary":"","why_asked":""}`: {Facts: []Fact{}, Taint: []TaintSource{}},
		`{"action":"files.file.write","destination":"a@example.com","diff":{"added":1,"new":true,"path":"a.txt","removed":2,"unified":"@@ -1 +1 @@\n-a\n+b\n"},` +
			`"facts":[{"name":"bytes","text":"12 bytes","value":12}],"guardian":{"failed":true,"model":"small","reason":"odd","verdict":"escalate"},` +
			"\"reason\":\"You\uFFFDasked \u2028 for it\",\"rule\":{\"diff\":\"+- allow\",\"text\":\"- allow\"},\"summary\":\"Change <prices>\"," +
			`"taint":["mail"],"why_asked":"it writes"}`: toldOf(),
	} {
		if got, err := a.Says(); err != nil || string(got) != want {
			t.Errorf("%s, want %s: %v", got, want, err)
		}
	}
}

// TestCardText is what is signed, spelled out.
func TestCardText(t *testing.T) {
	t.Parallel()
	says := []byte(`{"summary":"x"}`)
	sum := sha256.Sum256(says)
	if got, want := string(CardText("ap", "d1", says)), "gatehouse-card-v1\nap\nd1\n"+hex.EncodeToString(sum[:]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestApproval_VouchedBy: what a server signed holds after it travelled, for this approval and this key alone, and not when
// a byte of anything that it says is another.
func TestApproval_VouchedBy(t *testing.T) {
	t.Parallel()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := toldOf()
	a.Locales = Locals{"de": {Summary: "Alles löschen", WhyAsked: "Darum"}}
	if a.Vouched, err = a.Vouch(key); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	identity := hex.EncodeToString(pub)
	arrived := func() (got Approval) {
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := arrived(); !got.VouchedBy(identity) || got.Vouched.Key != identity {
		t.Fatal("what the server signed is not its word")
	}
	for _, by := range []string{"", "x", hex.EncodeToString(other)} {
		if arrived().VouchedBy(by) {
			t.Errorf("it is the word of %q too", by)
		}
	}
	for name, change := range map[string]func(*Approval){
		"id": func(a *Approval) { a.ID = "aq" }, "digest": func(a *Approval) { a.Digest = "d2" },
		"action": func(a *Approval) { a.Action += "n" }, "summary": func(a *Approval) { a.Summary = "Change <price>" },
		"reason": func(a *Approval) { a.Reason += "." }, "why it is asked": func(a *Approval) { a.WhyAsked = "" }, "destination": func(a *Approval) { a.Destination = "b@example.com" },
		"name of a fact": func(a *Approval) { a.Facts[0].Name = "b" }, "value of a fact": func(a *Approval) { a.Facts[0].Value++ },
		"text of a fact": func(a *Approval) { a.Facts[0].Text = "13 bytes" }, "one fact more": func(a *Approval) { a.Facts = append(a.Facts, Fact{}) }, "no facts": func(a *Approval) { a.Facts = nil },
		"path": func(a *Approval) { a.Diff.Path = "b.txt" }, "diff": func(a *Approval) { a.Diff.Unified = "@@ -1 +1 @@\n-a\n+c\n" }, "no diff": func(a *Approval) { a.Diff = nil },
		"new": func(a *Approval) { a.Diff.New = false }, "lines more": func(a *Approval) { a.Diff.Added++ }, "lines less": func(a *Approval) { a.Diff.Removed++ },
		"source": func(a *Approval) { a.Taint[0].Source = "web" }, "no source": func(a *Approval) { a.Taint = nil },
		"verdict": func(a *Approval) { a.Guardian.Verdict = "allow" }, "why the guardian": func(a *Approval) { a.Guardian.Reason = "" }, "model": func(a *Approval) { a.Guardian.Model = "large" },
		"that it failed": func(a *Approval) { a.Guardian.Failed = false }, "no guardian": func(a *Approval) { a.Guardian = nil },
		"rule": func(a *Approval) { a.Rule.Text += "\n" }, "diff of the rule": func(a *Approval) { a.Rule.Diff = "" }, "no rule": func(a *Approval) { a.Rule = nil },
		"another language": func(a *Approval) { a.Locales["de"] = Local{Summary: "Nichts löschen"} },
		"a language less":  func(a *Approval) { a.Locales = nil },
		"signature":        func(a *Approval) { a.Vouched.Sig = a.Vouched.Sig[2:] + a.Vouched.Sig[:2] },
		"no signature":     func(a *Approval) { a.Vouched = nil },
	} {
		got := arrived()
		change(&got)
		if got.VouchedBy(identity) {
			t.Errorf("%s: it is still the server's word", name)
		}
	}
}

func TestApproval_In(t *testing.T) {
	t.Parallel()
	a := Approval{
		Summary: "Delete old", WhyAsked: "it removes something", Facts: []Fact{{Name: "files", Value: 2, Text: "2 files"}},
		Locales: Locals{
			"de": {Summary: "old löschen", WhyAsked: "Es entfernt etwas", Facts: []string{"2 Dateien"}},
			"fr": {Summary: "Supprimer old"},
		},
	}
	got := a.In("de")
	fact := Fact{Name: "files", Value: 2, Text: "2 Dateien"}
	if got.Summary != "old löschen" || got.WhyAsked != "Es entfernt etwas" || got.Facts[0] != fact {
		t.Errorf("%+v", got)
	}
	for _, locale := range []string{"en", "fr", ""} {
		if got := a.In(locale); got.Summary != a.Summary || got.Facts[0].Text != "2 files" {
			t.Errorf("%s: %+v", locale, got)
		}
	}
}
