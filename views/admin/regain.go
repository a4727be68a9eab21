package admin

import (
	"context"
	"net/url"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// RegainPath is where an owner of a customer who lost everything is let back in.
func RegainPath(customer string) string { return CustomerPath(customer) + "/regain" }

// RegainActPath takes an act on a case: confirm, stop.
func RegainActPath(customer, id, act string) string {
	return RegainPath(customer) + "/" + url.PathEscape(id) + "/" + act
}

// Regain is the page of an owner who lost everything.
type Regain struct {
	Customer, Name string
	Owners         []ui.Option
	Cases          []RegainCase
	Running        bool
	Enrolled       bool // a device of the owner may approve on the server, as far as the hub knows
	Typed          map[string]string
	Problems       map[string]string
}

// RegainCase is one case.
type RegainCase struct {
	ID, Email, OldEmail string
	Reason, Checked     string
	State               string
	Opened, Confirmed   string // by whom
	At, Due, Ended      time.Time
	EndedBy             string
	Own                 bool // the reader opened it
}

func (p Regain) problems() []ui.Problem {
	var all []ui.Problem
	for _, name := range []string{"user", "email", "reason", "checked"} {
		if text := p.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

func (p Regain) field(ctx context.Context, name string, f ui.Field) ui.Field {
	f.Name, f.Label, f.Hint = name, i18n.T(ctx, i18n.Key("regain."+name)), i18n.T(ctx, i18n.Key("regain."+name+"_hint"))
	f.Value, f.Error, f.Required = p.Typed[name], p.Problems[name], true
	return f
}

var regainWords = map[string]i18n.Key{
	"opened": "regain.state_opened", "waiting": "regain.state_waiting", "done": "regain.state_done", "stopped": "regain.state_stopped",
}
