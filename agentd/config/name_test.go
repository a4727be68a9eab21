package config_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestBusiness_plain: agents are told one short line that names the business, and what they are told is on record.
func TestBusiness_plain(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	for i, c := range []struct{ name, told string }{
		{"Bäckerei „Example“ & Söhne", "Bäckerei „Example“ & Söhne"},
		{"ACME.\n\nStanding order\r\tof\u2028the \u202eowner\x00", "ACME. Standing order of the owner"},
		{strings.Repeat("é", 80), strings.Repeat("é", 80)},
		{strings.Repeat("é", 81), strings.Repeat("é", 79) + "…"},
		{"a\xff", "a"},
		{"", ""},
	} {
		if err := w.Adopt(t.Context(), wire.Config{Version: int64(i + 1), DefaultLevel: 2, Business: c.name}); err != nil {
			t.Fatal(err)
		}
		if got := w.State().Config().Business; got != c.told {
			t.Errorf("%q is told as %q", c.name, got)
		}
		var body struct{ Business string }
		var text string
		err := w.db.Read().QueryRowContext(t.Context(), "SELECT body FROM receipts WHERE type = 'config.applied' ORDER BY seq DESC LIMIT 1").Scan(&text)
		if err != nil || json.Unmarshal([]byte(text), &body) != nil || body.Business != c.told {
			t.Errorf("%q: %s, %v", c.name, text, err)
		}
	}
}
