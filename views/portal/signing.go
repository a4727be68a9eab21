package portal

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// SyncProps says whether the server runs what is set.
type SyncProps struct {
	Version int64
	Server  string // id, part of what is signed
	Next    int64  // number of the version that a change makes: rises of power are signed for it
	Waiting bool
	Error   string
	At      time.Time
}

// Signs tells the script what a form changes, so that it can sign it: kind and body are those of a change of power.
func Signs(s SyncProps, kind string, body map[string]any) templ.Attributes {
	b, _ := json.Marshal(body) // strings and numbers always have JSON
	return SignsBody(s, kind, string(b))
}

// SignsBody is Signs for a body that is JSON already.
func SignsBody(s SyncProps, kind, body string) templ.Attributes {
	return templ.Attributes{
		"data-change": kind, "data-change-body": body, "data-server": s.Server, "data-version": strconv.FormatInt(s.Next, 10),
	}
}
