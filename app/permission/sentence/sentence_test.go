package sentence_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/app/permission/sentence"
)

// whole has every field of a rule, comments, and what no form can hold.
const whole = `# What the team may do
version: 1
guardian: on # always
rules:
  # The newsletter
  - id: newsletter-by-day
    effect: ask
    agent: secretary
    tool: message
    action: mail.*
    tier: [yellow_external]
    origin: [portal, schedule]
    tainted: true
    args:
      to: {suffix: "@example.com"}
      subject: {prefix: News, glob: "*Bakery*"}
      list: {one_of: [a, b]}
      count: {max: 12.5}
    limits:
      rate: 20/24h # the provider's limit
      cooldown: 90s
      hours: {from: "08:00", to: "18:00", days: [mon, tue, wed, thu, fri], zone: Europe/Berlin}
      max_recipients: 5
      max_bytes: 5242880
      max_money: 12050
    reason: Mail goes out while somebody is in the office
  # Notes
  - id: notes-alone
    effect: allow
    tool: file_write
    args:
      path: {under: notes, suffix: .txt}
      content: {equals: ""}
    only: true
channels:
  discord:
    read_only: true
    rules:
      - {id: quiet, effect: deny, tool: shell}
`

func read(t *testing.T, text string) *sentence.Document {
	t.Helper()
	d, err := sentence.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func text(t *testing.T, d *sentence.Document) string {
	t.Helper()
	s, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func manifest(t *testing.T, s string) *policy.Manifest {
	t.Helper()
	m, err := policy.ParseManifest([]byte(s))
	if err != nil {
		t.Fatalf("%v\n%s", err, s)
	}
	return m
}

// TestRows: every field of a rule stands in its row, in the words of a form.
func TestRows(t *testing.T) {
	t.Parallel()
	rows := read(t, whole).Rows()
	want := []sentence.Row{
		{
			ID: "newsletter-by-day", Effect: "ask", Agent: "secretary", Tool: "message", Action: "mail.*",
			Tiers:   []string{"yellow_external"},
			Origins: []string{"portal", "schedule"}, Tainted: true, Reason: "Mail goes out while somebody is in the office",
			Tests: []sentence.Test{
				{"to", "suffix", "@example.com"},
				{"subject", "prefix", "News"},
				{"subject", "glob", "*Bakery*"},
				{"list", "one_of", "a\nb"},
				{"count", "max", "12.5"},
			},
			Limits: sentence.Limits{
				Calls: "20", Per: sentence.Amount{N: "1", Unit: "day"}, Cooldown: sentence.Amount{N: "90", Unit: "second"},
				Hours:      sentence.Hours{From: "08:00", To: "18:00", Zone: "Europe/Berlin", Days: sentence.Days[:5]},
				Recipients: "5", Bytes: sentence.Amount{N: "5", Unit: "MB"}, Money: "120.50",
			},
		},
		{
			ID: "notes-alone", Effect: "allow", Tool: "file_write", Only: true,
			Tests: []sentence.Test{{"path", "under", "notes"}, {"path", "suffix", ".txt"}},
			Kept:  []sentence.Kept{{Field: "args.content.equals", Text: `equals: ""`}},
		},
		{Channel: "discord", ID: "quiet", Effect: "deny", Tool: "shell"},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got  %+v\nwant %+v", rows, want)
	}
}

// TestText_untouched: what nobody changed is the same text, to the letter.
func TestText_untouched(t *testing.T) {
	t.Parallel()
	d := read(t, whole)
	for i, row := range d.Rows() {
		d.Set(i, row)
	}
	if got := text(t, d); got != whole {
		t.Errorf("it became\n%s", got)
	}
}

// TestSet_oneField: a field that is changed, taken out or added changes in the text alone, and comes back as it was set.
func TestSet_oneField(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*sentence.Row){
		"id":         func(r *sentence.Row) { r.ID = "other" },
		"effect":     func(r *sentence.Row) { r.Effect = "deny"; r.Limits = sentence.Limits{} },
		"agent":      func(r *sentence.Row) { r.Agent = "it-*" },
		"agent out":  func(r *sentence.Row) { r.Agent = "" },
		"tool":       func(r *sentence.Row) { r.Tool = "yes" }, // to some readers it is true
		"action out": func(r *sentence.Row) { r.Action = "" },
		"tier":       func(r *sentence.Row) { r.Tiers = []string{"yellow", "red"} },
		"tier out":   func(r *sentence.Row) { r.Tiers = nil },
		"origin":     func(r *sentence.Row) { r.Origins = []string{"webhook"} },
		"tainted":    func(r *sentence.Row) { r.Tainted = false },
		"test":       func(r *sentence.Row) { r.Tests[0].Value = "@example.org" },
		"test out":   func(r *sentence.Row) { r.Tests = r.Tests[1:] },
		"tests out":  func(r *sentence.Row) { r.Tests = nil },
		"test more": func(r *sentence.Row) {
			r.Tests = append(r.Tests, sentence.Test{Arg: "body.status", How: "equals", Value: "1e3"})
		},
		"one of":   func(r *sentence.Row) { r.Tests[3].Value = "a\nyes\n5" },
		"max":      func(r *sentence.Row) { r.Tests[4].Value = "7" },
		"rate":     func(r *sentence.Row) { r.Limits.Calls, r.Limits.Per = "3", sentence.Amount{N: "15", Unit: "minute"} },
		"rate out": func(r *sentence.Row) { r.Limits.Calls = "" },
		"cooldown": func(r *sentence.Row) { r.Limits.Cooldown = sentence.Amount{N: "2", Unit: "day"} },
		"hours": func(r *sentence.Row) {
			r.Limits.Hours = sentence.Hours{From: "22:00", To: "06:00", Zone: "UTC", Days: []string{"sat", "sun"}}
		},
		"hours out":  func(r *sentence.Row) { r.Limits.Hours = sentence.Hours{} },
		"days out":   func(r *sentence.Row) { r.Limits.Hours.Days = nil },
		"recipients": func(r *sentence.Row) { r.Limits.Recipients = "1" },
		"bytes":      func(r *sentence.Row) { r.Limits.Bytes = sentence.Amount{N: "7", Unit: "kB"} },
		"money":      func(r *sentence.Row) { r.Limits.Money = "99.90" },
		"limits out": func(r *sentence.Row) { r.Limits = sentence.Limits{} },
		"reason":     func(r *sentence.Row) { r.Reason = "# no comment: a reason" },
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			d := read(t, whole)
			want := d.Rows()
			change(&want[0])
			d.Set(0, want[0])
			changed := text(t, d)
			again := read(t, changed)
			if want[0].Limits.Calls == "" {
				want[0].Limits.Per = sentence.Amount{}
			}
			if got := again.Rows(); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v\n%s", got, want, changed)
			}
			if faults, err := again.Faults(); err != nil || len(faults) > 0 {
				t.Errorf("%+v %v", faults, err)
			}
			was, is := manifest(t, whole), manifest(t, changed)
			was.Rules, is.Rules = was.Rules[1:], is.Rules[1:]
			if !reflect.DeepEqual(was, is) {
				t.Errorf("other rules changed\n%s", changed)
			}
			for _, comment := range []string{"# What the team may do", "# always", "# The newsletter", "# Notes"} {
				if !strings.Contains(changed, comment) {
					t.Errorf("%s is lost:\n%s", comment, changed)
				}
			}
		})
	}
}

// TestOnly: a rule for a call without other arguments.
func TestOnly(t *testing.T) {
	t.Parallel()
	d := read(t, whole)
	row := d.Rows()[1]
	row.Only = false
	d.Set(1, row)
	got := text(t, d)
	if strings.Contains(got, " only:") || manifest(t, got).Rules[1].Only {
		t.Errorf("%s", got)
	}
	if tests := manifest(t, got).Rules[1].Args; tests["content"].Equals == nil {
		t.Errorf("what no form can hold is lost: %+v", tests)
	}
}

// TestDocument_rules: rules are added, moved and removed; comments go with what they are about.
func TestDocument_rules(t *testing.T) {
	t.Parallel()
	d := read(t, whole)
	at := d.Add(sentence.Row{Effect: "deny", Agent: "secretary", Tool: "shell"})
	if at != 2 || d.Rows()[at].ID != "secretary-shell" {
		t.Errorf("it stands at %d: %+v", at, d.Rows())
	}
	if to := d.Move(at, -2); to != 0 {
		t.Errorf("it moved to %d", to)
	}
	if to := d.Move(0, -1); to != 0 {
		t.Errorf("it moved up to %d", to)
	}
	d.Remove(1)
	at = d.Add(sentence.Row{Channel: "discord", Effect: "ask", Agent: "secretary", Tool: "shell"})
	if at != 3 || d.Rows()[at].ID != "secretary-shell-2" {
		t.Errorf("it stands at %d: %+v", at, d.Rows())
	}
	d.Add(sentence.Row{Channel: "slack", Effect: "ask"})
	got := text(t, d)
	m := manifest(t, got)
	var ids []string
	for _, r := range slices.Concat(m.Rules, m.Channels["discord"].Rules, m.Channels["slack"].Rules) {
		ids = append(ids, r.ID)
	}
	want := []string{"secretary-shell", "notes-alone", "quiet", "secretary-shell-2", "rule"}
	if !slices.Equal(ids, want) || !m.Channels["discord"].ReadOnly {
		t.Errorf("%q instead of %q", ids, want)
	}
	if strings.Contains(got, "# The newsletter") || !strings.Contains(got, "# Notes") || !strings.Contains(got, "# What the team may do") {
		t.Errorf("comments:\n%s", got)
	}
}

// TestAdd_toNothing: the first rule of all.
func TestAdd_toNothing(t *testing.T) {
	t.Parallel()
	for _, before := range []string{
		"", "\n", "# Nothing yet\n", "# Nothing yet", "version: 1\n", "version: 1\nrules:\n",
		"version: 1\nrules: [] # none\n", "version: 1\n# end",
	} {
		d := read(t, before)
		d.Add(sentence.Row{Effect: "ask", Tool: "message"})
		got := text(t, d)
		if m := manifest(t, got); len(m.Rules) != 1 || m.Rules[0].Tool != "message" {
			t.Errorf("%q became %q", before, got)
		}
		if _, comment, ok := strings.Cut(before, "#"); ok && !strings.Contains(got, strings.TrimSpace(comment)) {
			t.Errorf("%q became %q", before, got)
		}
	}
}
