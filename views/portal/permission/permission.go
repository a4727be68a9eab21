package permission

import (
	"time"

	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// exampleRules shows what rules look like.
const exampleRules = `version: 1
tiers:
  social_post: critical_red
rules:
  - id: newsletter-by-day
    effect: ask
    tool: message
    limits: {hours: {from: "08:00", to: "18:00", zone: Europe/Berlin}}
    reason: Mail goes out while somebody is in the office
  - id: no-deletes-by-schedule
    effect: deny
    tier: [red]
    origin: [schedule]
channels:
  discord: {read_only: true}
`

// Props is the page of rules.
type Props struct {
	ServerID      string
	ConfigVersion int64 // that a signed change belongs to
	Version       int64 // of the rules in force
	Edit          string
	Text          string
	Reason        string
	Problem       string // why the file on the server is not in force
	Sent          bool   // a form was: what it brought is not to be lost
	Refused       string // why what was sent is not in force
	Unsigned      bool   // for want of a signature
	Problems      map[string]string
	Preview       *PreviewProps
	AsText        bool        // the rules are shown as text
	Rules         *RulesProps // unless they are
	Guardian      GuardianProps
	Limits        []ui.Pair
	Windows       []WindowProps
	Versions      []VersionProps
	Away          bool
}

// action is where the form is sent.
func (p Props) action() string {
	if p.AsText {
		return TextPath
	}
	return portal.Permissions
}

// WindowProps is a time in which a tool runs without being asked again.
type WindowProps struct {
	Approval, Agent, Tool, Tier, Destination, By string
	Until                                        time.Time
}

// VersionProps is one version of the rules.
type VersionProps struct {
	N                int64
	By, Reason, Text string
	At               time.Time
}
