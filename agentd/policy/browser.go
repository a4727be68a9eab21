package policy

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// BrowserArgs are the arguments of the tool browser.
type BrowserArgs struct {
	Action string `json:"action" jsonschema:"minLength=1,maxLength=32,description=navigate\\, snapshot\\, click\\, type\\, select\\, upload\\, download\\, wait\\, screenshot\\, pdf and so on."`
	URL    string `json:"url,omitempty" jsonschema:"maxLength=8192,description=Where to go."`
	Ref    string `json:"ref,omitempty" jsonschema:"maxLength=256,description=The element\\, as the snapshot names it."`
	Text   string `json:"text,omitempty" jsonschema:"maxLength=100000,description=What to type or choose."`
	Script string `json:"script,omitempty" jsonschema:"maxLength=100000,description=Not run without a person."`
	Path   string `json:"path,omitempty" jsonschema:"maxLength=4096,description=A file in the data folder."`
}

// browserTiers are the actions by what they do on a page that nobody knows.
var browserTiers = map[string]Tier{
	"snapshot": Green, "screenshot": Green, "wait": Green, "scroll": Green, "tabs": Green, "close": Green, "text": Green, "back": Green, "forward": Green,
	"navigate": Green, "goto": Green, "open": Green, "pdf": Green, "hover": Yellow, "reload": Yellow, "focus": Yellow,
	"click": Yellow, "dblclick": Yellow, "type": Yellow, "fill": Yellow, "select": Yellow, "check": Yellow, "uncheck": Yellow, "press": YellowExternal, "drag": Yellow,
	"download": Yellow, "upload": YellowExternal, "submit": YellowExternal,
	"evaluate": Red, "eval": Red, "script": Red, "execute": Red, "run": Red,
}

var (
	browserAway  = lazyre.MustCompile(`(?i)publish|send|submit|post|share|invite|reply|book|order|pay|buy|checkout|subscribe|sign|confirm|veröffentlich|senden|absenden|bezahl|bestell|einlad`)
	browserTakes = lazyre.MustCompile(`(?i)delete|remove|destroy|drop|erase|wipe|reset|revoke|cancel|terminate|deactivate|unpublish|lösch|entfern|kündig|zurücksetz`)
)

// Browser classifies one step in a browser. What stands behind an element is not known, so a click is a change; one
// whose label says that it sends or removes is that.
func Browser(a BrowserArgs, env Env) Class {
	action := "browser.page." + strings.ToLower(a.Action)
	tier, ok := browserTiers[a.Action]
	if !ok {
		return Refuse("browser.page.act", "The browser does not know this action.")
	}
	c := Class{Tier: tier, Action: action, Says: browserSays(a)}
	for _, more := range []Class{browserURL(a, env), browserFile(a, env), browserLabel(a), browserScript(a)} {
		if more.Tier == Forbidden {
			return Refuse(action, more.Why)
		}
		if more.Tier != "" && more.Tier.Rank() > c.Tier.Rank() {
			c.Tier, c.Why = more.Tier, more.Why
		}
	}
	return c
}

func browserSays(a BrowserArgs) string {
	parts := []string{"In the browser: " + a.Action}
	for _, s := range []string{a.URL, a.Ref, a.Text, a.Path, a.Script} {
		if s != "" {
			parts = append(parts, visible(s))
		}
	}
	return strings.Join(longLast(parts), " · ")
}

// browserURL judges where to go: pages of hosts that somebody named are read, others learn that somebody came.
func browserURL(a BrowserArgs, env Env) Class {
	goes := a.Action == "navigate" || a.Action == "goto" || a.Action == "open" || a.Action == "download"
	switch {
	case a.URL == "" && goes && a.Ref == "":
		return Refuse("", "There is no address to go to.")
	case a.URL == "" || a.URL == "about:blank":
		return Class{}
	}
	return Reach(a.URL, env)
}

// Reach judges reading an address: a host that the owner or the registry named is read; any other one is told
// something by being asked; a private one is never reached.
func Reach(address string, env Env) Class {
	t, err := readURL(address)
	if err != nil {
		return Refuse("", err.Error())
	}
	if env.named(t) {
		if _, ok := plainPath(t.path); !ok {
			return Class{Tier: Yellow, Why: "Its path can be read in more than one way."}
		}
		return Class{Tier: Green}
	}
	if why := private(t.host); why != "" {
		return Refuse("", why)
	}
	return Class{Tier: Yellow, Why: "It reaches " + visible(t.host) + ", which nobody named before.", Outside: []string{t.host}}
}

// browserFile judges the file of an upload, a download or a picture.
func browserFile(a BrowserArgs, env Env) Class {
	switch {
	case a.Path == "" && a.Action == "upload":
		return Refuse("", "There is no file to upload.")
	case a.Path == "":
		return Class{}
	case a.Action == "upload":
		return FileRead(a.Path, env)
	}
	return FileWrite(a.Path, 0, env)
}

// browserLabel looks at what an element is called, and for a line end in what is typed: it sends many forms.
func browserLabel(a BrowserArgs) Class {
	switch {
	case browserTiers[a.Action].Rank() < Yellow.Rank():
	case browserTakes.MatchString(a.Ref) || a.Action == "click" && browserTakes.MatchString(a.Text):
		return Class{Tier: Red, Why: "Its name says that it removes something."}
	case browserAway.MatchString(a.Ref) || a.Action == "click" && browserAway.MatchString(a.Text):
		return Class{Tier: YellowExternal, Why: "Its name says that it reaches somebody."}
	case strings.ContainsAny(a.Text, "\n\r"):
		return Class{Tier: YellowExternal, Why: "A line end sends many forms."}
	}
	return Class{}
}

func browserScript(a BrowserArgs) Class {
	if a.Script == "" {
		return Class{}
	}
	return Class{Tier: Red, Why: "A script in a page can do all that its user can."}
}
