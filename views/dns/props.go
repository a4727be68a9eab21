package dns

import (
	"context"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Props is the name of an order's server.
type Props struct {
	Host      string // as people read it
	Zone      string // where its name servers are; empty while none is known
	Own       bool   // it is the customer's own domain
	ByHand    bool   // a person enters the records
	Staff     bool   // one of us reads
	Known     bool   // there is something to lead to: a server is reserved
	Right     bool
	Waits     bool // the order waits for it, or failed there
	Rows      []Row
	Remarks   []Remark
	Servers   []Server
	Problem   string // why nothing could be made or asked: a key's end
	Detail    string
	LookedAt  time.Time
	NextAt    time.Time
	ActPath   string // takes act=check, make or rename; empty: who reads may only look
	CanMake   bool
	Renamable bool
	Domain    string // the customer's own, as it stands or as it was typed
	Wrong     string // what is wrong with what was typed
}

// Row is a record that is wanted.
type Row struct {
	Type, Name, Value string
	TTL               int
	Status            string // right, missing, wrong, spreading
	Found             []string
}

// Remark is something to be seen.
type Remark struct {
	Kind, Name, Type string
	Values           []string
}

// Server is what one name server has.
type Server struct {
	Name, Address, Trouble string
	Right                  bool
	Holds                  []string
}

// PanelID is the element that is pushed anew when the name changes.
const PanelID = "server-name"

// kind is how a status shows.
func kind(status string) string {
	switch status {
	case "right":
		return "ok"
	case "spreading":
		return "info"
	}
	return "warn"
}

func (p Props) lead(ctx context.Context) string {
	switch {
	case p.Right:
		return i18n.T(ctx, "name.lead_right", "host", p.Host)
	case p.ByHand && (p.Own || p.Staff):
		return i18n.T(ctx, "name.lead_enter", "host", p.Host)
	}
	return i18n.T(ctx, "name.lead_ours", "host", p.Host)
}

// NeedsYou says whether the order waits for its owner to enter records.
func (p Props) NeedsYou() bool { return p.Own && p.Waits && p.Known && !p.Right }

// enters says whether who reads has to see what to enter.
func (p Props) enters() bool { return p.Own || p.Staff }

func (r Row) facts(ctx context.Context) []ui.Pair {
	pairs := []ui.Pair{
		{Name: i18n.T(ctx, "name.type"), Value: r.Type, Code: true},
		{Name: i18n.T(ctx, "name.name"), View: exact(r.Name)},
		{Name: i18n.T(ctx, "name.value"), View: exact(r.Value)},
		{Name: i18n.T(ctx, "name.ttl"), Value: i18n.T(ctx, "name.seconds", "n", r.TTL)},
	}
	if len(r.Found) > 0 {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "name.found"), Value: strings.Join(r.Found, ", "), Code: true})
	}
	return pairs
}

func (m Remark) text(ctx context.Context) string {
	values := strings.Join(m.Values, ", ")
	switch m.Kind {
	case "leftover":
		return i18n.T(ctx, "name.remark_leftover", "name", m.Name, "type", m.Type, "values", values)
	case "alias":
		return i18n.T(ctx, "name.remark_alias", "name", m.Name, "values", values)
	case "forbids":
		return i18n.T(ctx, "name.remark_forbids", "name", m.Name, "values", values)
	case "covered":
		return i18n.T(ctx, "name.remark_covered", "name", m.Name, "values", values)
	case "silent":
		return i18n.T(ctx, "name.remark_silent", "name", m.Name)
	}
	return i18n.T(ctx, "name.remark_no_zone", "name", m.Name)
}

func (p Props) problem(ctx context.Context) string {
	return i18n.T(ctx, i18n.Key("name.problem_"+p.Problem))
}

func (s Server) says(ctx context.Context) string {
	switch {
	case s.Trouble != "":
		return i18n.T(ctx, i18n.Key("name.trouble_"+s.Trouble))
	case len(s.Holds) == 0:
		return i18n.T(ctx, "name.holds_none")
	}
	return strings.Join(s.Holds, ", ")
}

// DomainField asks for the customer's own domain.
func DomainField(ctx context.Context, domain, wrong string) ui.Field {
	return ui.Field{
		Name: "domain", Label: i18n.T(ctx, "name.domain"), Hint: i18n.T(ctx, "name.domain_hint"), Value: domain, Error: wrong,
		Code: true, MaxLength: 260, InputMode: "url", Autocomplete: "off",
	}
}
