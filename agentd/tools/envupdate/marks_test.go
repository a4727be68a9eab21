package envupdate_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// TestUpdate_markOverSecret: what stands in place of a secret when settings are read is never set as its value.
func TestUpdate_markOverSecret(t *testing.T) {
	t.Parallel()
	w := open(t)
	const before = "# conf\nPORT=80\nDB_URL='db://u:a-value-of-its-own@host/x'\nNOTE='as [SECRET:db.key] reads'\n"
	w.write("crm/.env", before)
	for _, shown := range []string{"[SECRET:db.key]", "db://u:[REDACTED:url-password#2]@host/y", "(hidden, 17 characters)"} {
		o, _ := w.direct(update("crm/.env", "PORT", "81", "DB_URL", shown))
		if o.State != wire.ToolDenied || !strings.Contains(o.Text, "DB_URL") || !strings.Contains(o.Text, "SECRET_REF(name)") || w.read("crm/.env") != before {
			t.Errorf("%s: %+v\n%s", shown, o, w.read("crm/.env"))
		}
	}
	for note, args := range map[string]policy.EnvUpdateArgs{
		"as [SECRET:db.key] reads": update("crm/.env", "PORT", "82", "NOTE", "as [SECRET:db.key] reads"),
		"[SECRET:db.key] stays":    update("crm/.env", "NOTE", "[SECRET:db.key] stays"),
		"none":                     update("crm/.env", "NOTE", "none"),
	} {
		w.write("crm/.env", before)
		if o, _ := w.direct(args); o.State != wire.ToolDone || !strings.Contains(w.read("crm/.env"), note) {
			t.Errorf("%s: %+v\n%s", note, o, w.read("crm/.env"))
		}
	}
}
