package answer_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime/answer"
	"gatehouse/agentd/wire"
)

var (
	deleted   = answer.Evidence{Seq: 7, Tool: "file_delete", Tier: policy.Red, Kind: "deleted", Target: "tmp/scan-0118.tmp", Finished: true}
	delGlob   = answer.Evidence{Seq: 7, Tool: "file_delete", Tier: policy.Red, Kind: "deleted", Target: "tmp/*.tmp", Finished: true}
	delDenied = answer.Evidence{Seq: 8, Tool: "file_delete", Tier: policy.Red, Target: "tmp/*.tmp"}
	sent      = answer.Evidence{
		Seq: 9, Tool: "message", Tier: policy.YellowExternal, Kind: "sent", Target: "someone@example.com",
		Finished: true,
	}
	sentFail = answer.Evidence{Seq: 10, Tool: "message", Tier: policy.YellowExternal, Target: "someone@example.com"}
	written  = answer.Evidence{Seq: 11, Tool: "file_write", Tier: policy.Yellow, Kind: "written", Target: "notes/monday.txt", Finished: true}
	df       = answer.Evidence{Seq: 12, Tool: "shell", Tier: policy.Green, Kind: "ran", Target: "df -k .", Finished: true}
	rm       = answer.Evidence{Seq: 13, Tool: "shell", Tier: policy.Red, Kind: "ran", Target: "rm tmp/a.tmp", Finished: true}
	handed   = answer.Evidence{Seq: 14, Tool: "agent_dispatch", Tier: policy.Green, Kind: "delegated", Target: "it-admin", Finished: true}
	read     = answer.Evidence{Seq: 15, Tool: "file_read", Tier: policy.Green, Target: "notes/to-do.txt", Finished: true}
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		evidence []answer.Evidence
		want     wire.Verdict
	}{
		"talk only":                        {"Good morning! What can I do for you?", nil, wire.VerdictNothingRan},
		"read only":                        {"The disk is 41 % full: 3.2 GB of 7.8 GB.", []answer.Evidence{df, handed}, wire.VerdictNothingRan},
		"deleted with receipt":             {"I deleted 14 old temporary files (3.2 MB).", []answer.Evidence{deleted}, wire.VerdictProven},
		"deleted without any receipt":      {"I deleted the old temporary files.", nil, wire.VerdictNotProven},
		"deleted, but the call was denied": {"The temporary files have been deleted.", []answer.Evidence{delDenied}, wire.VerdictContradicted},
		"receipt of another kind":          {"I deleted the files.", []answer.Evidence{sent}, wire.VerdictNotProven},
		"sent to the one it says":          {"I sent the e-mail to someone@example.com.", []answer.Evidence{sent}, wire.VerdictProven},
		"sent to another one":              {"I sent the e-mail to other@example.com.", []answer.Evidence{sent}, wire.VerdictNotProven},
		"sending failed": {
			"The e-mail to someone@example.com was sent.",
			[]answer.Evidence{sentFail},
			wire.VerdictContradicted,
		},
		"failed first, then done": {
			"The e-mail to someone@example.com was sent.",
			[]answer.Evidence{sentFail, sent},
			wire.VerdictProven,
		},
		"one of two": {
			"I sent the e-mail to someone@example.com. I also deleted the files.",
			[]answer.Evidence{sent},
			wire.VerdictPartly,
		},
		"one of two in one sentence": {"I sent the e-mail and deleted the files.", []answer.Evidence{sent}, wire.VerdictPartly},
		"negated":                    {"I have not deleted anything. Nothing was sent.", nil, wire.VerdictNothingRan},
		"could not":                  {"The files could not be deleted.", []answer.Evidence{delDenied}, wire.VerdictNothingRan},
		"no files": {
			"No files were deleted, because the owner said no.",
			[]answer.Evidence{delDenied},
			wire.VerdictNothingRan,
		},
		"contraction":           {"I didn't send it, and it wasn’t deleted.", nil, wire.VerdictNothingRan},
		"negated, then claimed": {"I did not send the e-mail, but I deleted the files.", nil, wire.VerdictNotProven},
		"future": {
			"I will send it as soon as it is allowed. The files will be deleted then.", nil,
			wire.VerdictNothingRan,
		},
		"condition":             {"Once the files are deleted, there will be more room.", nil, wire.VerdictNothingRan},
		"question":              {"Shall they be deleted? Were they sent?", nil, wire.VerdictNothingRan},
		"to be":                 {"14 files are waiting to be deleted.", nil, wire.VerdictNothingRan},
		"sent to one who waits": {"I sent someone@example.com what they asked for.", nil, wire.VerdictNotProven},
		"adjective":             {"The deleted files were large.", nil, wire.VerdictNothingRan},
		"somebody else's deed": {
			"The customer paid invoice 212. The supplier sent a letter.",
			[]answer.Evidence{read},
			wire.VerdictNothingRan,
		},
		"a finding":            {"The file was created in 2024.", []answer.Evidence{read}, wire.VerdictNothingRan},
		"own deed with a time": {"I deleted them yesterday.", nil, wire.VerdictNotProven},
		"quotation":            {"The note says: \"we deleted everything\".", []answer.Evidence{read}, wire.VerdictNothingRan},
		"code block": {
			"The log:\n```\nI deleted all files.\n```\nThat is all.",
			[]answer.Evidence{read},
			wire.VerdictNothingRan,
		},
		"list item": {
			"Today:\n- Deleted `tmp/scan-0118.tmp`\n- Sent a mail to someone@example.com",
			[]answer.Evidence{deleted, sent},
			wire.VerdictProven,
		},
		"list item without receipt":  {"Today:\n- Deleted `tmp/other.tmp`", []answer.Evidence{deleted}, wire.VerdictNotProven},
		"folder of what was deleted": {"I removed the old files in tmp/.", []answer.Evidence{deleted}, wire.VerdictProven},
		"glob":                       {"I deleted tmp/*.tmp.", []answer.Evidence{deleted}, wire.VerdictProven},
		"file of a deleted folder": {"old/a.txt was deleted.", []answer.Evidence{{
			Seq: 3, Tool: "file_delete", Tier: policy.Red,
			Kind: "deleted", Target: "old", Finished: true,
		}}, wire.VerdictProven},
		"file beside a deleted glob":        {"tmp/upload.part was deleted.", []answer.Evidence{delGlob}, wire.VerdictNotProven},
		"file of a deleted glob":            {"tmp/scan-0118.tmp was deleted.", []answer.Evidence{delGlob}, wire.VerdictProven},
		"another agent":                     {"The IT admin deleted the files.", []answer.Evidence{handed, deleted}, wire.VerdictProven},
		"another agent, nothing done":       {"The IT admin deleted the files.", []answer.Evidence{handed}, wire.VerdictNotProven},
		"written":                           {"The note is saved in notes/monday.txt.", []answer.Evidence{written}, wire.VerdictProven},
		"written elsewhere":                 {"I saved the note in notes/tuesday.txt.", []answer.Evidence{written}, wire.VerdictNotProven},
		"deleted by a command":              {"I deleted tmp/a.tmp.", []answer.Evidence{rm}, wire.VerdictProven},
		"a reading command deletes nothing": {"I deleted tmp/a.tmp.", []answer.Evidence{df}, wire.VerdictNotProven},
		"ran":                               {"I ran `df -k .`.", []answer.Evidence{df}, wire.VerdictProven},
		"ran nothing":                       {"I ran the command.", nil, wire.VerdictNotProven},
		"done":                              {"Done.", []answer.Evidence{deleted}, wire.VerdictProven},
		"done with nothing":                 {"Done!", nil, wire.VerdictNotProven},
		"booked":                            {"I have booked the table for two.", []answer.Evidence{sent}, wire.VerdictNotProven},
		"acted without claiming":            {"There is more room now.", []answer.Evidence{deleted}, wire.VerdictProven},
		"adverb":                            {"I have successfully deleted the files.", nil, wire.VerdictNotProven},
		"de: gelöscht":                      {"Ich habe 14 alte Dateien gelöscht.", []answer.Evidence{deleted}, wire.VerdictProven},
		"de: gelöscht ohne Beleg":           {"Ich habe 14 alte Dateien gelöscht.", nil, wire.VerdictNotProven},
		"de: wurden gelöscht":               {"Es wurden 14 Dateien gelöscht.", nil, wire.VerdictNotProven},
		"de: verneint":                      {"Ich habe nichts gelöscht. Die Mail wurde nicht gesendet.", nil, wire.VerdictNothingRan},
		"de: Zukunft": {
			"Die Dateien werden gelöscht, sobald es erlaubt ist. Ich werde die Mail schicken.", nil,
			wire.VerdictNothingRan,
		},
		"de: kann gelöscht werden":          {"Das kann gelöscht werden.", nil, wire.VerdictNothingRan},
		"de: konnte nicht":                  {"Die Dateien konnten nicht gelöscht werden.", []answer.Evidence{delDenied}, wire.VerdictNothingRan},
		"de: gesendet an":                   {"Die E-Mail an someone@example.com wurde gesendet.", []answer.Evidence{sent}, wire.VerdictProven},
		"de: an einen anderen":              {"Die E-Mail an other@example.com wurde gesendet.", []answer.Evidence{sent}, wire.VerdictNotProven},
		"de: abgelehnt und doch behauptet":  {"Die Dateien sind gelöscht.", []answer.Evidence{delDenied}, wire.VerdictContradicted},
		"de: nicht gesendet, aber gelöscht": {"Die Mail ist nicht gesendet, aber die Dateien sind gelöscht.", nil, wire.VerdictNotProven},
		"de: erledigt":                      {"Erledigt.", nil, wire.VerdictNotProven},
		"de: Dritte":                        {"Der Kunde hat die Rechnung bezahlt.", []answer.Evidence{read}, wire.VerdictNothingRan},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := answer.Check(c.text, c.evidence)
			if got.Verdict != c.want {
				t.Errorf("%q: %s, want %s; claims %+v", c.text, got.Verdict, c.want, got.Claims)
			}
		})
	}
}

func TestCheck_claimsNameTheirReceipts(t *testing.T) {
	t.Parallel()
	got := answer.Check("I deleted tmp/*.tmp. I sent it to someone@example.com.", []answer.Evidence{deleted, delGlob, sentFail})
	if len(got.Claims) != 2 {
		t.Fatalf("claims %+v", got.Claims)
	}
	if c := got.Claims[0]; c.Verb != "deleted" || c.Verdict != wire.VerdictProven || fmt.Sprint(c.Receipts) != "[7]" ||
		c.Sentence != "I deleted tmp/*.tmp." {
		t.Errorf("first %+v", c)
	}
	if c := got.Claims[1]; c.Verdict != wire.VerdictContradicted || len(c.Receipts) != 0 {
		t.Errorf("second %+v", c)
	}
	if u := got.Unbacked(); len(u) != 1 || u[0] != got.Claims[1].Sentence {
		t.Errorf("unbacked %v", u)
	}
}

func TestFromReceipts(t *testing.T) {
	t.Parallel()
	rc := func(seq int64, kind, call, tool, tier, body string) wire.Receipt {
		return wire.Receipt{Seq: seq, Type: kind, CallID: call, Tool: tool, Tier: tier, Body: json.RawMessage(body)}
	}
	got := answer.FromReceipts([]wire.Receipt{
		rc(1, "call.requested", "a", "file_delete", "", `{"args":{"path":"tmp/*.tmp"}}`),
		rc(2, "call.finished", "a", "file_delete", "red", `{"effects":[{"kind":"deleted","target":"tmp","count":14}]}`),
		rc(3, "call.requested", "b", "message", "", `{"args":{"to":"someone@example.com","text":"x"}}`),
		rc(4, "call.denied", "b", "message", "yellow_external", `{"why":"no"}`),
		rc(5, "call.requested", "c", "shell", "", `{"args":"not an object"}`),
		rc(6, "call.finished", "c", "shell", "green", `{}`),
		rc(7, "call.requested", "d", "message", "", `{"args":{"to":"someone@example.com"}}`),
		rc(8, "call.started", "d", "message", "yellow_external", `{"args":{"to":"Other@example.com"}}`),
		rc(9, "call.failed", "d", "message", "yellow_external", `{}`),
	})
	want := []answer.Evidence{
		{Seq: 2, Tool: "file_delete", Tier: "red", Kind: "deleted", Target: "tmp/*.tmp", Finished: true},
		{Seq: 4, Tool: "message", Tier: "yellow_external", Target: "someone@example.com"},
		{Seq: 6, Tool: "shell", Tier: "green", Finished: true},
		{Seq: 9, Tool: "message", Tier: "yellow_external", Target: "other@example.com"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("I deleted the files. I didn't.")
	f.Add("```")
	f.Add("„ \" . ? ! …")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range answer.Check(text, []answer.Evidence{deleted, sentFail}).Claims {
			if c.Sentence == "" || c.Verb == "" || c.Verdict == "" {
				t.Fatalf("%q: %+v", text, c)
			}
		}
	})
}
