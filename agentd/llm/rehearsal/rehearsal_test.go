package rehearsal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/demo"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/rehearsal"
	"gatehouse/agentd/tool"
)

// talk lets the rehearsal model work on a task with tools that are a function, until it has nothing more to call.
type talk struct {
	tools  []string
	system string
	answer func(name string, args map[string]string) string
	calls  []string // "tool key=value …", in order
	said   []string
}

func (k *talk) run(t *testing.T, task string, before ...llm.Message) string {
	t.Helper()
	p := rehearsal.New(0)
	var defs []tool.Definition
	for _, n := range k.tools {
		defs = append(defs, tool.Definition{Name: n, Args: json.RawMessage(`{"type":"object"}`)})
	}
	messages := append([]llm.Message{{Role: llm.System, Text: k.system}}, before...)
	messages = append(messages, llm.Message{Role: llm.User, Text: task})
	for range 20 {
		streamed := ""
		r, err := llm.Ask(t.Context(), p, llm.Request{Messages: messages, Tools: defs}, func(s string) { streamed += s })
		if err != nil {
			t.Fatal(err)
		}
		if streamed != r.Text || r.Text == "" || r.Usage.Output == 0 || r.Usage.Input == 0 {
			t.Fatalf("streamed %q, said %q, usage %+v", streamed, r.Text, r.Usage)
		}
		k.said = append(k.said, r.Text)
		if len(r.Calls) == 0 {
			return r.Text
		}
		messages = append(messages, llm.Message{Role: llm.Assistant, Text: r.Text, Calls: r.Calls})
		for _, c := range r.Calls {
			var given map[string]any
			if err := json.Unmarshal([]byte(c.Args), &given); err != nil {
				t.Fatal(err)
			}
			args := map[string]string{}
			for name, v := range given {
				args[name] = fmt.Sprint(v)
			}
			k.calls = append(k.calls, c.Name+" "+c.Args)
			messages = append(messages, llm.Message{Role: llm.ToolReply, CallID: c.ID, Text: k.answer(c.Name, args)})
		}
	}
	t.Fatal("it never stops calling tools")
	return ""
}

var (
	admin      = []string{"shell", "file_list", "file_read", "file_write", "file_delete"}
	secretary  = []string{"file_list", "file_read", "file_write", "message"}
	dispatcher = []string{"agent_dispatch"}
	mates      = "Your colleagues, by id:\n- it-admin (IT admin): looks after the server\n- secretary (Secretary): letters"
)

func always(s string) func(string, map[string]string) string {
	return func(string, map[string]string) string { return s }
}

func df(total, used, free int64, percent string) string {
	return fmt.Sprintf("Filesystem     1K-blocks      Used Available Use%% Mounted on\n/dev/vda1      %d %d %d %s /srv\n", total, used, free, percent)
}

// The answer is computed from what the tool measured: another figure, another answer.
func TestDisk_followsTheFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		out  string
		want []string
	}{
		{df(8<<20, 2<<20, 6<<20, "25%"), []string{"25 %", "2.1 GB of 8.6 GB", "6.4 GB free", "comfortable"}},
		{df(8<<20, 7<<20, 1<<20, "88%"), []string{"88 %", "7.5 GB of 8.6 GB", "1.1 GB free", "tight"}},
		{df(1000, 990, 10, "99%"), []string{"99 %", "nearly full"}},
	} {
		k := &talk{tools: admin, answer: always(c.out)}
		got := k.run(t, "How full is the disk?")
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%q is missing in %q", w, got)
			}
		}
		if len(k.calls) != 1 || k.calls[0] != `shell {"command":"df -k ."}` {
			t.Errorf("calls %v", k.calls)
		}
	}
}

func TestDisk_noFigures(t *testing.T) {
	t.Parallel()
	got := (&talk{tools: admin, answer: always("df: command not found")}).run(t, "How full is the disk?")
	if !strings.Contains(got, "df: command not found") || strings.Contains(got, "%") {
		t.Errorf("%q", got)
	}
}

func TestDispatcher_handsOver(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"How full is the disk?":                                        "it-admin",
		"Delete the old temporary files":                               "it-admin",
		"Which files are in invoices?":                                 "it-admin",
		"Run `uptime`":                                                 "it-admin",
		"Email someone@example.com that we open at nine":               "secretary",
		"Write a note: call the accountant on Monday":                  "secretary",
		"Wie voll ist die Festplatte?":                                 "it-admin",
		"Schreibe eine Mail an a@example.com, dass wir um neun öffnen": "secretary",
	} {
		k := &talk{tools: dispatcher, system: mates, answer: always("All is well: 41.")}
		got := k.run(t, task)
		if len(k.calls) != 1 || !strings.Contains(k.calls[0], `"target":"`+want+`"`) || !strings.Contains(got, "All is well: 41.") {
			t.Errorf("%s: calls %v, said %q", task, k.calls, got)
		}
		var args map[string]string
		if err := json.Unmarshal([]byte(strings.TrimPrefix(k.calls[0], "agent_dispatch ")), &args); err != nil || args["task"] != task {
			t.Errorf("%s: the task went over as %q, %v", task, args["task"], err)
		}
	}
}

func TestDispatcher_namedColleague(t *testing.T) {
	t.Parallel()
	k := &talk{tools: dispatcher, system: mates, answer: always("ok")}
	k.run(t, "Ask the IT admin to read logs/shop.log")
	if len(k.calls) != 1 || k.calls[0] != `agent_dispatch {"target":"it-admin","task":"read logs/shop.log"}` {
		t.Errorf("calls %v", k.calls)
	}
}

func TestDispatcher_reportsFailure(t *testing.T) {
	t.Parallel()
	got := (&talk{tools: dispatcher, system: mates, answer: always("[failed] it-admin could not finish: Stopped.")}).run(t, "How full is the disk?")
	if !strings.Contains(got, "no result") || !strings.Contains(got, "could not finish") {
		t.Errorf("%q", got)
	}
}

const folder = `folder            0 2026-01-02T10:00:00Z "sub"
file         100000 2026-01-02T10:00:00Z "a.tmp"
file         150000 2026-01-02T10:00:00Z "b \"x\".tmp"
file             12 2026-01-02T10:00:00Z "keep.part"
`

func TestTidy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deleted string
		want    []string
		wantNot string
	}{
		"deleted":            {"Deleted 2 files, 250.0 kB.\ntmp/a.tmp\ntmp/b.tmp\n", []string{"I have deleted `tmp/*.tmp`: 2 files, 250.0 kB."}, "denied"},
		"other figures":      {"Deleted 1 file, 7 bytes.\ntmp/a.tmp\n", []string{"1 file, 7 bytes"}, "2 files"},
		"denied with reason": {"[denied] A person denied this and said: I still need the scans", []string{"denied", "“I still need the scans”", "not try another way"}, "I have deleted"},
		"denied":             {"[denied] A person denied this.", []string{"denied"}, "I have deleted"},
		"expired":            {"[denied] Nobody answered in time, so this was not done.", []string{"in time"}, "I have deleted"},
		"changed meanwhile":  {"[failed] 2 files changed since this was measured. Nothing was deleted; ask again.", []string{"did not work", "changed since"}, "I have deleted"},
		"unknown":            {"[unknown] It is not known whether this was done.", []string{"not known"}, "I have deleted"},
		"edited":             {"Deleted 1 file, 7 bytes.\ntmp/a.tmp\n\n[Runtime: a person edited this call before allowing it. What ran: {}]", []string{"A person changed my request"}, "denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &talk{tools: admin, answer: func(name string, args map[string]string) string {
				if name == "file_list" {
					return folder
				}
				return c.deleted
			}}
			got := k.run(t, "Delete the old temporary files")
			if len(k.calls) != 2 || k.calls[1] != `file_delete {"path":"tmp/*.tmp"}` {
				t.Fatalf("calls %v", k.calls)
			}
			if !strings.Contains(k.said[1], "2 temporary files, 250.0 kB") {
				t.Errorf("before: %q", k.said[1])
			}
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is missing in %q", w, got)
				}
			}
			if strings.Contains(got, c.wantNot) {
				t.Errorf("%q stands in %q", c.wantNot, got)
			}
		})
	}
}

// A path that is named is what goes to the gate, whatever word for temporary stands in it.
func TestDelete_whatIsNamed(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"Delete tmp/scan-0118.tmp":                    "tmp/scan-0118.tmp",
		"Delete tmp/scan-0118.tmp.":                   "tmp/scan-0118.tmp",
		"Delete the temporary file tmp/scan-0118.tmp": "tmp/scan-0118.tmp",
		"Delete `tmp/scan-0118.tmp`, please":          "tmp/scan-0118.tmp",
		"Delete tmp/upload.part":                      "tmp/upload.part",
		"Delete notes/tmp.txt":                        "notes/tmp.txt",
		"Delete tmp/scan-*.tmp":                       "tmp/scan-*.tmp",
		"Delete the folder tmp/old/":                  "tmp/old",
		"Delete /tmp/scan-0118.tmp":                   "/tmp/scan-0118.tmp",
		"Lösche notes/öffnung.txt":                    "notes/öffnung.txt",
		"Delete tmp":                                  "tmp/*.tmp",
		"Delete the files in tmp/":                    "tmp/*.tmp",
		"Delete tmp/*.tmp":                            "tmp/*.tmp",
		"Clean up the temporary files in notes/":      "notes/*.tmp",
	} {
		k := &talk{tools: admin, answer: func(name string, _ map[string]string) string {
			if name == "file_list" {
				return folder
			}
			return "Deleted 1 file, 7 bytes."
		}}
		got := k.run(t, task)
		if last := k.calls[len(k.calls)-1]; last != `file_delete {"path":"`+want+`"}` || !strings.Contains(got, "`"+want+"`") {
			t.Errorf("%s: calls %v, said %q", task, k.calls, got)
		}
	}
}

// With nothing to delete it deletes nothing and offers to put the demo files back; a bare yes then does that.
func TestTidy_nothingThere(t *testing.T) {
	t.Parallel()
	k := &talk{tools: admin, answer: always("The folder is empty.\n")}
	got := k.run(t, "Delete the old temporary files")
	if len(k.calls) != 1 || !strings.Contains(got, "put the demo files back") {
		t.Fatalf("calls %v, said %q", k.calls, got)
	}
	again := &talk{tools: admin, answer: k.answer}
	again.answer = func(name string, args map[string]string) string {
		if name == "file_list" {
			return "The folder is empty.\n"
		}
		return "Wrote " + args["path"] + " (1 byte)."
	}
	again.run(t, "yes", llm.Message{Role: llm.User, Text: "Delete the old temporary files"}, llm.Message{Role: llm.Assistant, Text: got})
	if len(again.calls) < len(demo.PutBack()) {
		t.Errorf("calls %v", again.calls)
	}
}

func TestPutBack(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, f := range demo.Files(time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)) {
		files[f.Path] = string(f.Body)
	}
	delete(files, "notes/to-do.txt")
	delete(files, "tmp/scan-0118.tmp")
	world := func(name string, args map[string]string) string {
		if name == "file_write" {
			files[args["path"]] = args["content"]
			return "Wrote " + args["path"] + " (1 byte)."
		}
		out := ""
		for p := range files {
			if path.Dir(p) == args["path"] {
				out += fmt.Sprintf("file %d 2026-01-02T10:00:00Z %q\n", len(files[p]), path.Base(p))
			}
		}
		return out
	}
	got := (&talk{tools: admin, answer: world}).run(t, "Put the demo files back")
	if !strings.Contains(got, "2 demo files") || files["notes/to-do.txt"] == "" || files["tmp/scan-0118.tmp"] == "" {
		t.Errorf("%q", got)
	}
	if got := (&talk{tools: admin, answer: world}).run(t, "Put the demo files back"); !strings.Contains(got, "No demo file is missing") {
		t.Errorf("%q", got)
	}
}

// What was deleted from tmp comes back whole; of what bears a date it says how much is gone for good.
func TestPutBack_saysWhatIsLost(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	for _, f := range demo.Files(time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)) {
		old, err := path.Match(demo.Old, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		there[f.Path] = !old
	}
	lost := 0
	world := func(name string, args map[string]string) string {
		if name == "file_write" {
			there[args["path"]] = true
			return "Wrote " + args["path"] + " (1 byte)."
		}
		out := ""
		for p, is := range there {
			if is && path.Dir(p) == args["path"] {
				out += fmt.Sprintf("file 1 2026-01-02T10:00:00Z %q\n", path.Base(p))
			}
		}
		return out
	}
	got := (&talk{tools: admin, answer: world}).run(t, "Put the demo files back")
	for p, is := range there {
		if !is {
			t.Errorf("%s is not back", p)
		}
		if path.Dir(p) == "invoices" && lost < 2 {
			lost, there[p] = lost+1, false
		}
	}
	if !strings.Contains(got, "14 demo files") || strings.Contains(got, "cannot") {
		t.Errorf("%q", got)
	}
	if got := (&talk{tools: admin, answer: world}).run(t, "Put the demo files back"); strings.Contains(got, "No demo file is missing") || !strings.Contains(got, "2 files of `invoices`") {
		t.Errorf("%q", got)
	}
	there["notes/to-do.txt"] = false
	if got := (&talk{tools: admin, answer: world}).run(t, "Put the demo files back"); !strings.Contains(got, "1 demo file again") || !strings.Contains(got, "2 files of `invoices`") {
		t.Errorf("%q", got)
	}
}

func TestMail(t *testing.T) {
	t.Parallel()
	k := &talk{tools: secretary, answer: always("Sent to someone@example.com.")}
	got := k.run(t, "Email someone@example.com that we open at nine")
	if got != "I have sent the e-mail to someone@example.com." {
		t.Errorf("%q", got)
	}
	if len(k.calls) != 1 || k.calls[0] != `message {"subject":"We open at nine","text":"Hello,\n\nWe open at nine.\n\nKind regards","to":"someone@example.com"}` {
		t.Errorf("calls %v", k.calls)
	}
	k = &talk{tools: secretary, answer: always("[failed] The mail server refused it. Nothing was sent.")}
	if got := k.run(t, "Email someone@example.com that we open at nine"); strings.Contains(got, "have sent") || !strings.Contains(got, "refused it") {
		t.Errorf("%q", got)
	}
	k = &talk{tools: secretary, answer: always("Sent to someone@example.com.")}
	if k.run(t, "Schreibe eine Mail an a@example.com, dass wir um neun öffnen"); len(k.calls) != 1 || !strings.Contains(k.calls[0], `"subject":"Wir um neun öffnen"`) {
		t.Errorf("calls %v", k.calls)
	}
	k = &talk{tools: secretary, answer: always("")}
	if got := k.run(t, "Send an email to someone@example.com"); len(k.calls) != 0 || !strings.HasSuffix(got, "?") {
		t.Errorf("%v, %q", k.calls, got)
	}
}

// A mail goes to one address; with several it says so, and sends nothing that was not meant.
func TestMail_oneAddressAtATime(t *testing.T) {
	t.Parallel()
	for _, task := range []string{
		"Email a@example.com, b@example.com that we open at nine", "Email a@example.com and b@example.com that we open at nine", "Send a mail to a@example.com, cc b@example.com: we open at nine",
		"Schreibe eine Mail an a@example.com und b@example.com, dass wir um neun öffnen",
	} {
		k := &talk{tools: secretary, answer: always("")}
		if got := k.run(t, task); len(k.calls) != 0 || !strings.Contains(got, "one address at a time") && !strings.Contains(got, "nur an eine Adresse") {
			t.Errorf("%s: calls %v, said %q", task, k.calls, got)
		}
	}
	k := &talk{tools: secretary, answer: always("Sent to a@example.com.")}
	if k.run(t, "Email a@example.com that b@example.com is our new address"); len(k.calls) != 1 || !strings.Contains(k.calls[0], `"subject":"B@example.com is our new address"`) {
		t.Errorf("calls %v", k.calls)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"Write a note: call the accountant on Monday":           `file_write {"content":"Call the accountant on Monday.\n","path":"notes/call-the-accountant-on.txt"}`,
		"Write a note to notes/monday.txt: call the accountant": `file_write {"content":"Call the accountant.\n","path":"notes/monday.txt"}`,
		"Save \"the oven is fixed\" to notes/oven.txt":          `file_write {"content":"the oven is fixed\n","path":"notes/oven.txt"}`,
		"Schreibe eine Notiz: den Steuerberater anrufen":        `file_write {"content":"Den Steuerberater anrufen.\n","path":"notes/den-steuerberater-anrufen.txt"}`,
	} {
		k := &talk{tools: secretary, answer: always("Wrote notes/x.txt (9 bytes).")}
		got := k.run(t, task)
		if len(k.calls) != 1 || k.calls[0] != want {
			t.Errorf("%s: calls %v", task, k.calls)
		}
		if !strings.Contains(got, "notes/x.txt (9 bytes)") {
			t.Errorf("%s: %q", task, got)
		}
	}
}

// A quoted text is written as it stands, and a path in it is not where it goes.
func TestNote_keepsTheWords(t *testing.T) {
	t.Parallel()
	for task, want := range map[string][2]string{
		"Write \"hello world\" to notes/hw.txt":                            {"notes/hw.txt", "hello world"},
		"Write “hello world” into the file notes/hw.txt":                   {"notes/hw.txt", "hello world"},
		"Write \"hello world\" to `notes/hw.txt`":                          {"notes/hw.txt", "hello world"},
		"Write \"see notes/a.txt\" to notes/b.txt":                         {"notes/b.txt", "see notes/a.txt"},
		"Write \"we put them back, a@example.com\" to notes/mail.txt":      {"notes/mail.txt", "we put them back, a@example.com"},
		"Write \"one\" and \"two\" to notes/b.txt":                         {"notes/b.txt", "\"one\" and \"two\"."},
		"Save a note to notes/hello.txt saying hello":                      {"notes/hello.txt", "Hello."},
		"Save a note to notes/hello.txt saying \"hello\"":                  {"notes/hello.txt", "hello"},
		"Write a note to notes/hello.txt to say hello":                     {"notes/hello.txt", "Hello."},
		"Write a note to notes/hello.txt that says hello":                  {"notes/hello.txt", "Hello."},
		"Save the following to notes/hello.txt: note one, two":             {"notes/hello.txt", "Note one, two."},
		"Write to notes/hello.txt: hello":                                  {"notes/hello.txt", "Hello."},
		"Create a file notes/y.txt with the text \"rolls, 3 bags\"":        {"notes/y.txt", "rolls, 3 bags"},
		"Create a file notes/y.txt with the text rolls: 3 bags":            {"notes/y.txt", "rolls: 3 bags"},
		"Create a new text file called y.txt with the content: rolls":      {"y.txt", "rolls"},
		"Create notes/y.txt containing rolls":                              {"notes/y.txt", "rolls"},
		"Erstelle die Datei notes/y.txt mit dem Text „drei Säcke Mehl“":    {"notes/y.txt", "drei Säcke Mehl"},
		"Write a note with the text \"rolls\" to notes/y.txt":              {"notes/y.txt", "rolls"},
		"Write a note to notes/day.md: open the shop and read the letters": {"notes/day.md", "Open the shop and read the letters."},
	} {
		k := &talk{tools: secretary, answer: always("Wrote notes/x.txt (9 bytes).")}
		k.run(t, task)
		b, err := json.Marshal(map[string]string{"path": want[0], "content": want[1] + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		if len(k.calls) != 1 || k.calls[0] != "file_write "+string(b) {
			t.Errorf("%s: calls %v, said %q", task, k.calls, k.said)
		}
	}
	for _, task := range []string{"Create a file notes/y.txt", "Write a note"} {
		k := &talk{tools: secretary, answer: always("")}
		if got := k.run(t, task); len(k.calls) != 0 || !strings.Contains(got, "What shall the note say?") {
			t.Errorf("%s: calls %v, said %q", task, k.calls, got)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	k := &talk{tools: secretary, answer: func(name string, args map[string]string) string {
		if name == "file_read" {
			return "- one\n"
		}
		return "Changed notes/to-do.txt (20 bytes)."
	}}
	got := k.run(t, "Add \"clean the oven\" to notes/to-do.txt")
	if len(k.calls) != 2 || k.calls[1] != `file_write {"content":"- one\n- clean the oven\n","path":"notes/to-do.txt"}` || got != "I have changed notes/to-do.txt (20 bytes)." {
		t.Errorf("calls %v, said %q", k.calls, got)
	}
}

// The line stands before the path or behind it, and what it says is no second path.
func TestAppend_findsTheLine(t *testing.T) {
	t.Parallel()
	for task, line := range map[string]string{
		"Add \"go to bed\" to notes/to-do.txt":                  "go to bed",
		"Add go to the bank to notes/to-do.txt":                 "go to the bank",
		"Add a line to notes/to-do.txt: go to the bank":         "go to the bank",
		"Add a line to notes/to-do.txt saying \"go to bed\"":    "go to bed",
		"Add the line “see notes/a.txt” to notes/to-do.txt":     "see notes/a.txt",
		"Füge die Zeile „Mehl bestellen“ an notes/to-do.txt an": "Mehl bestellen",
	} {
		k := &talk{tools: secretary, answer: func(name string, _ map[string]string) string {
			if name == "file_read" {
				return "- one\n"
			}
			return "Changed notes/to-do.txt (20 bytes)."
		}}
		k.run(t, task)
		if len(k.calls) != 2 || k.calls[1] != `file_write {"content":"- one\n- `+line+`\n","path":"notes/to-do.txt"}` {
			t.Errorf("%s: calls %v", task, k.calls)
		}
	}
	k := &talk{tools: secretary, answer: always("")}
	if got := k.run(t, "Add a line to notes/to-do.txt"); len(k.calls) != 0 || !strings.HasSuffix(got, "?") {
		t.Errorf("calls %v, said %q", k.calls, got)
	}
}

// What a file is called asks for nothing.
func TestRead_namesAreNoRequests(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"notes/clean.txt", "notes/delete-tmp.txt", "notes/list.txt", "notes/disk.txt", "notes/write.txt"} {
		k := &talk{tools: admin, answer: always("all is well here")}
		if k.run(t, "Read "+name); len(k.calls) != 1 || k.calls[0] != `file_read {"path":"`+name+`"}` {
			t.Errorf("calls %v", k.calls)
		}
	}
}

// TestRead_attached: a file that came with the message is read, also by the colleague who gets the task.
func TestRead_attached(t *testing.T) {
	t.Parallel()
	const line = "\n\n[Attached by the person, paths in the data folder: \"Uploads/2026-11/price list (2).txt\", \"b.txt\"]"
	k := &talk{tools: admin, answer: func(string, map[string]string) string { return "Rye bread 4.20" }}
	said := k.run(t, "What does this say?"+line)
	const want = `file_read {"path":"Uploads/2026-11/price list (2).txt"}`
	if len(k.calls) != 1 || k.calls[0] != want || !strings.Contains(said, "Rye bread") {
		t.Errorf("called %q, said %q", k.calls, said)
	}
	k = &talk{tools: dispatcher, system: mates, answer: func(string, map[string]string) string { return "Rye bread 4.20" }}
	k.run(t, "What does this say?"+line)
	if len(k.calls) != 1 || !strings.Contains(k.calls[0], `price list (2).txt`) {
		t.Errorf("handed over %q", k.calls)
	}
}

func TestReadAndList(t *testing.T) {
	t.Parallel()
	k := &talk{tools: admin, answer: always("Monday 7:00\n```\n")}
	if got := k.run(t, "Read notes/opening-hours.txt"); k.calls[0] != `file_read {"path":"notes/opening-hours.txt"}` || !strings.Contains(got, "Monday 7:00") || !strings.Contains(got, "````\n") {
		t.Errorf("calls %v, said %q", k.calls, got)
	}
	for task, want := range map[string]string{
		"Which files are in invoices?": "invoices", "List the folder logs": "logs", "Which files do we have?": ".", "Welche Dateien sind in notes?": "notes", "list logs/": "logs",
		"List notes": "notes", "List the notes folder, please": "notes", "list all invoices": "invoices", "List the files in letters": "letters", "List the contents of orders": "orders",
		"List all files": ".", "List files": ".", "List everything": ".", "List the temporary files": ".", "ls": ".", "ls invoices": "invoices", "ls -la Notes/": "Notes",
		"Show me the files in invoices": "invoices", "open invoices": "invoices", "Open the Invoices folder": "invoices", "Show me notes/": "notes", "What is in orders?": "orders", "Zeige mir prices": "prices",
	} {
		k := &talk{tools: admin, answer: always(folder)}
		got := k.run(t, task)
		if len(k.calls) == 0 || k.calls[0] != `file_list {"path":"`+want+`"}` || !strings.Contains(got, "`a.tmp`, 100.0 kB") || !strings.Contains(got, "4 ") {
			t.Errorf("%s: calls %v, said %q", task, k.calls, got)
		}
	}
	k = &talk{tools: admin, answer: always("[failed] notes/opening-hours.txt does not exist.")}
	if got := k.run(t, "Read notes/opening-hours.txt"); !strings.Contains(got, "put the demo files back") {
		t.Errorf("%q", got)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"Run uptime": "uptime", "Run `ls -la | wc -l`": "ls -la | wc -l", "run the command: du -sh .": "du -sh .", "Execute cat README.txt please": "cat README.txt",
	} {
		k := &talk{tools: admin, answer: always("some output 17")}
		got := k.run(t, task)
		b, err := json.Marshal(map[string]string{"command": want})
		if err != nil {
			t.Fatal(err)
		}
		if k.calls[0] != "shell "+string(b) || !strings.Contains(got, "some output 17") {
			t.Errorf("%s: calls %v, said %q", task, k.calls, got)
		}
	}
}

func TestHelp_saysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, task := range []string{"Hello", "What is the meaning of life?", "Book a flight to the moon", "help", "Show me what you can do", "open the shop"} {
		k := &talk{tools: dispatcher, system: mates}
		if got := k.run(t, task); len(k.calls) != 0 || !strings.Contains(got, "rehearsal model") || !strings.Contains(got, "MODEL_BASE_URL") || !strings.Contains(got, "disk") {
			t.Errorf("%s: %q", task, got)
		}
	}
	k := &talk{tools: []string{"message"}}
	if got := k.run(t, "How full is the disk?"); !strings.Contains(got, "shell") || len(k.calls) != 0 {
		t.Errorf("%q", got)
	}
	if got := k.run(t, "Hallo, was kannst du?"); !strings.Contains(got, "Übungsmodell") {
		t.Errorf("%q", got)
	}
}

func TestLong_isLongAndStops(t *testing.T) {
	t.Parallel()
	k := &talk{tools: dispatcher, system: mates}
	if n := len(strings.Fields(k.run(t, "Give me a long answer"))); n < 1000 {
		t.Errorf("%d words", n)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stop")
	// The next piece would come in an hour.
	_, err := llm.Ask(ctx, rehearsal.New(time.Hour), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Give me a long answer"}}}, func(string) { cancel(why) })
	if !errors.Is(err, why) {
		t.Error(err)
	}
}

func TestAnswerCheck_takesBack(t *testing.T) {
	t.Parallel()
	k := &talk{tools: admin}
	got := k.run(t, "[Answer check, by the runtime, not by the owner]\n- I deleted it.", llm.Message{Role: llm.User, Text: "Delete x.txt"},
		llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "1", Name: "file_delete", Args: "{}"}}}, llm.Message{Role: llm.ToolReply, CallID: "1", Text: "[failed] no such file"})
	if !strings.Contains(got, "correct myself") || !strings.Contains(got, "no such file") || len(k.calls) != 0 {
		t.Errorf("%q", got)
	}
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	one := (&talk{tools: admin, answer: always(folder)}).run(t, "Which files are in tmp?")
	for range 5 {
		if two := (&talk{tools: admin, answer: always(folder)}).run(t, "Which files are in tmp?"); two != one {
			t.Fatalf("%q, then %q", one, two)
		}
	}
}
