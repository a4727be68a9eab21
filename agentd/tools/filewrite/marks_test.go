package filewrite_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestStage_markOverSecret: a file that was read with marks in place of its secrets is not written back with them. Marks
// that stand in the file itself may stay, and go.
func TestStage_markOverSecret(t *testing.T) {
	t.Parallel()
	w := open(t)
	const before = "host = old\npassword = a-value-of-its-own\n"
	for _, mark := range []string{"[SECRET:db.key]", "[REDACTED:password]", "[REDACTED:password#2]", "[REDACTED:unscanned]"} {
		w.Write(t, map[string]string{"conf.ini": before})
		o := w.Do(t, "file_write", args("conf.ini", "host = new\npassword = "+mark+"\n"))
		if o.State != wire.ToolDenied || !strings.Contains(o.Text, mark) || !strings.Contains(o.Text, "env_update") || w.Read(t, "conf.ini") != before {
			t.Errorf("%s: %+v\n%s", mark, o, w.Read(t, "conf.ini"))
		}
		if o := w.Do(t, "file_write", args("copy-"+mark[1:4]+".ini", "password = "+mark+"\n")); o.State != wire.ToolDenied || w.Has("copy-"+mark[1:4]+".ini") {
			t.Errorf("%s in a new file: %+v", mark, o)
		}
		w.Write(t, map[string]string{"notes.md": "A mark is " + mark + ".\none\n"})
		if o := w.Do(t, "file_write", args("notes.md", "A mark is "+mark+".\ntwo\n")); o.State != wire.ToolDone || !strings.HasSuffix(w.Read(t, "notes.md"), "two\n") {
			t.Errorf("%s that stood there: %+v", mark, o)
		}
		if o := w.Do(t, "file_write", args("notes.md", mark+" "+mark)); o.State != wire.ToolDenied {
			t.Errorf("%s twice in place of once: %+v", mark, o)
		}
		if o := w.Do(t, "file_write", args("notes.md", "none\n")); o.State != wire.ToolDone || w.Read(t, "notes.md") != "none\n" {
			t.Errorf("%s that goes: %+v", mark, o)
		}
	}
}
