package portal

import (
	"encoding/json"
	"strconv"

	"github.com/a-h/templ"
)

// signs tells the script what a form changes, so that it can sign it: kind and body are those of a change of power.
func signs(s SyncProps, kind string, body map[string]any) templ.Attributes {
	b, _ := json.Marshal(body) // strings and numbers always have JSON
	return signsBody(s, kind, string(b))
}

// signsBody is signs for a body that is JSON already.
func signsBody(s SyncProps, kind, body string) templ.Attributes {
	return templ.Attributes{
		"data-change": kind, "data-change-body": body, "data-server": s.Server, "data-version": strconv.FormatInt(s.Next, 10),
	}
}

// signsLevel is signs for a form in which a level is chosen.
func signsLevel(s SyncProps, agent string) templ.Attributes {
	a := signs(s, "autonomy", map[string]any{"agent": agent})
	a["data-change-level"] = ""
	return a
}
