package layout

import (
	"context"
	"encoding/json"
	"strings"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// User is who is signed in.
type User struct {
	Name string // their name or e-mail address
	Of   string // business, or "Gatehouse staff"
}

// Frame is what every signed-in page says about itself. An empty Stream means that nothing on the page is live.
type Frame struct {
	Title   string // of the page; " · Gatehouse" is added
	Failed  bool   // a form came back: the title starts with "Error: "
	User    User
	Nav     []ui.NavItem
	Home    string // the first entry: current only on its own page
	Stream  string // address of the live stream
	SignOut string // POST
	SignIn  string // where the live strip leads when the sign-in has ended
	Account string // address of one's own settings; may be empty

	Rehearsal bool // the team runs on the rehearsal model: every page says so
	Offline   *ui.Offline
	Unpaid    *Unpaid // nil: nothing is
	Toasts    []ui.Toast
	Wide      bool // tables and consoles use the whole width
	Fill      bool // the page is as high as the window and scrolls inside, as a conversation does
	Band      *Band
}

// Band says that staff act in a customer's place.
type Band struct{ Customer, Reason, Until string }

// maxTitle is how many characters of its title a page shows in the tab.
const maxTitle = 90

// title is what the tab says: how many requests wait, as the menu says it, and what the page shows.
func (f Frame) title(ctx context.Context) string {
	name := f.Title
	if runes := []rune(name); len(runes) > maxTitle {
		name = strings.TrimSpace(string(runes[:maxTitle])) + "…"
	}
	waiting := 0
	for _, item := range f.Nav {
		waiting += item.Badge
	}
	if waiting == 0 || f.Failed {
		return pageTitle(ctx, name, f.Failed)
	}
	return i18n.T(ctx, "layout.title_waiting", "n", ui.Capped(waiting), "title", name)
}

// pageTitle tells in the tab when a form came back.
func pageTitle(ctx context.Context, title string, failed bool) string {
	if failed {
		return i18n.T(ctx, "layout.title_error", "title", title)
	}
	return i18n.T(ctx, "layout.title", "title", title)
}

// scriptWords are the few words that the script writes.
func scriptWords(ctx context.Context) string {
	words := map[string]string{
		"copied":    i18n.T(ctx, "script.copied"),
		"more":      i18n.T(ctx, "script.more"),
		"gone":      i18n.T(ctx, "script.gone"),
		"fail":      i18n.T(ctx, "script.fail"),
		"unsent":    i18n.T(ctx, "script.unsent"),
		"room":      i18n.T(ctx, "script.room"),
		"tooLong":   i18n.T(ctx, "script.too_long"),
		"over":      i18n.T(ctx, "script.over"),
		"fresh":     i18n.T(ctx, "script.fresh"),
		"secs":      i18n.T(ctx, "script.secs"),
		"in":        i18n.T(ctx, "script.in"),
		"ago":       i18n.T(ctx, "script.ago"),
		"day":       i18n.T(ctx, "ui.time.unit_day"),
		"live":      i18n.T(ctx, "script.live"),
		"left":      i18n.T(ctx, "script.left"),
		"lost":      i18n.T(ctx, "script.lost"),
		"signedOut": i18n.T(ctx, "script.signed_out"),

		"group":        i18n.T(ctx, "script.group"),
		"groupsWrong":  i18n.T(ctx, "script.groups_wrong"),
		"codeLength":   i18n.T(ctx, "script.code_length"),
		"bigNumber":    i18n.T(ctx, "script.big_number"),
		"enrol":        i18n.T(ctx, "script.enrol"),
		"noEd25519":    i18n.T(ctx, "script.no_ed25519"),
		"noKey":        i18n.T(ctx, "script.no_key"),
		"notConfirmed": i18n.T(ctx, "script.not_confirmed"),
		"notTheirs":    i18n.T(ctx, "script.not_theirs"),
		"notSigned":    i18n.T(ctx, "script.not_signed"),
		"passkeyNone":  i18n.T(ctx, "passkey.stopped"),
		"passkeyKnown": i18n.T(ctx, "passkey.known"),
		"otherArgs":    i18n.T(ctx, "script.other_args"),
		"otherDigest":  i18n.T(ctx, "script.other_digest"),

		"keyChanged": i18n.T(ctx, "script.key_changed"),
		"sealedFor":  i18n.T(ctx, "script.sealed_for"),
		"serverNew":  i18n.T(ctx, "script.server_new"),
		"hidesIn":    i18n.T(ctx, "script.hides_in"),
		"notForThis": i18n.T(ctx, "script.not_for_this"),
	}
	b, _ := json.Marshal(words) // a map of strings always has JSON
	return string(b)
}
