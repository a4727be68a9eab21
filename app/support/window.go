package support

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// State is how a window stands.
type State string

// The states of a window. Only an open one lets anybody look.
const (
	Asked     State = "asked"
	Open      State = "open"
	Ended     State = "ended" // closed, or run out
	Refused   State = "refused"
	Withdrawn State = "withdrawn"
	Lapsed    State = "lapsed" // the owner did not answer in time
)

// AskLife is how long a window that staff asked for waits for the owner.
const AskLife = 24 * time.Hour

// Window is a support window, from the moment in which one of our staff asks for it.
type Window struct {
	ID         string
	CustomerID account.CustomerID
	Server     server.ID
	StaffID    string // who asked, and may look
	Staff      string // their e-mail address
	Kind       wire.KeyKind
	SPKI       string
	Purpose    string
	Hours      int
	What       []wire.SupportKind
	State      State
	AskedAt    time.Time
	OpenedAt   time.Time // zero until it was opened
	Until      time.Time // likewise
	EndedAt    time.Time // zero while it is asked for or open
	Why        string    // wire.SupportClosed or wire.SupportRanOut, of one that was open
	EndedBy    string    // who refused, withdrew or closed it
}

// At is how the window stands at a time: what nobody answered lapses, and what runs out has ended, also before the server says so.
func (w Window) At(now time.Time) Window {
	switch {
	case w.State == Asked && !now.Before(w.AskedAt.Add(AskLife)):
		w.State, w.EndedAt = Lapsed, w.AskedAt.Add(AskLife)
	case w.State == Open && !now.Before(w.Until):
		w.State, w.Why, w.EndedAt = Ended, wire.SupportRanOut, w.Until
	}
	return w
}

// Body is what the owner signs to open the window.
func (w Window) Body() wire.SupportBody {
	return wire.SupportBody{
		ID: w.ID, Purpose: w.Purpose, Hours: w.Hours, What: w.What,
		Staff: []wire.SupportStaff{{Name: w.Staff, Kind: w.Kind, SPKI: w.SPKI}},
	}
}

// Look is a line about one look.
type Look struct {
	ID      string
	Staff   string // empty: no key of the window had signed it
	See     wire.SupportSee
	Name    string // what was looked at; only the server knows it
	At      time.Time
	Refused string
}

// Request is what one of our staff asks for.
type Request struct {
	Purpose string
	Hours   int
	What    []wire.SupportKind
	Kind    wire.KeyKind
	SPKI    string
}

var errKey = fault.New(fault.Invalid, "support-key", "key for a support window does not fit",
	"This browser sent no key that could be used. Nothing was asked. Reload the page and try again.")

// clean checks a request, and puts the kinds of content in their order.
func (r Request) clean() (Request, error) {
	bad := map[string]string{}
	r.Purpose = strings.TrimSpace(r.Purpose)
	if n := utf8.RuneCountInString(r.Purpose); n == 0 || n > wire.MaxSupportPurpose || strings.ContainsFunc(r.Purpose, unshown) {
		bad["purpose"] = "Say in one line of at most 300 characters what you need to look at, and why."
	}
	if r.Hours < wire.MinSupportHours || r.Hours > wire.MaxSupportHours {
		bad["hours"] = "Choose 1 to 24 hours."
	}
	var what []wire.SupportKind
	for _, k := range wire.SupportKinds() {
		if slices.Contains(r.What, k) {
			what = append(what, k)
		}
	}
	if len(what) == 0 || len(what) != len(r.What) {
		bad["what"] = "Choose what you need to see."
	}
	if len(bad) > 0 {
		return r, fault.Bad(bad)
	}
	r.What = what
	if _, err := wire.ParseApproverKey(r.Kind, r.SPKI); err != nil || r.Kind != wire.BrowserKey && r.Kind != wire.SoftwareKey {
		return r, errKey
	}
	return r, nil
}

// unshown are the characters that would make one text look like another; the server refuses them, too.
func unshown(r rune) bool { return !unicode.IsPrint(r) }
