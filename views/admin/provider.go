package admin

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// The pages of providers.
const (
	ProvidersPath = "/admin/providers"
	NetcupPath    = ProvidersPath + "/netcup"
	AdoptPath     = NetcupPath + "/adopt"
	OthersPath    = NetcupPath + "/others"
)

// CheckPath asks a provider whether it answers.
func CheckPath(provider string) string { return ProvidersPath + "/" + provider + "/check" }

// AdoptedPath takes an act on an adopted machine.
func AdoptedPath(number int64) string {
	return NetcupPath + "/machines/" + strconv.FormatInt(number, 10)
}

// Providers is the page of providers.
type Providers struct {
	Netcup   Netcup
	Adopted  []Adopted
	Others   []Provider // in the order of the page, without netcup
	Places   []Served
	Settings bool // the reader may change settings
	Pool     bool // the reader may see the machines of our own
}

// Provider is what the page says of one.
type Provider struct {
	Name       string
	State      string // ready, asking, not_connected, no_key, none_free, problem
	Used, Free int    // servers that it runs, machines that wait; Free is -1 where it makes one for each order
	Check      *Checked
}

// Checked is what came back when a provider was asked last.
type Checked struct {
	At   time.Time
	By   string
	OK   bool
	Said string
}

// Netcup is how the hub is connected to netcup.
type Netcup struct {
	Provider
	Connected   bool
	Account, By string
	At          time.Time
	Problem     string
	Ask         NetcupAsk
	Wiping      int // machines that are being wiped
}

// NetcupAsk is a connection that waits for a yes, or waited for one.
type NetcupAsk struct {
	Code, Page, By string // an empty Code: nobody asks
	Until          time.Time
	Every          time.Duration
	End            string // "", refused, expired, stopped
	Away           bool   // netcup did not answer just now
}

// Open says whether the page goes on looking.
func (a NetcupAsk) Open() bool { return a.Code != "" && a.End == "" }

// trigger is how often the page looks.
func (a NetcupAsk) trigger() string {
	return "every " + strconv.Itoa(max(2, int(a.Every.Seconds()))) + "s"
}

// Served is which provider serves what: a region, or a plan in it; both empty: all others.
type Served struct{ Region, Plan, Provider string }

// Adopted is a machine in the account at netcup that the hub may hand out.
type Adopted struct {
	Number                               int64
	Name, Product, Address, Region, Plan string
	State, Server, Problem               string
	Since                                time.Time
}

// OtherMachine is a machine in the account that is not adopted.
type OtherMachine struct {
	Number                int64
	Name, Called, Product string
}

// OtherMachines is the part of the page with those.
type OtherMachines struct {
	Machines []OtherMachine
	Plans    [][2]string // id and name
	Problem  string
}

var providerNames = map[string]i18n.Key{
	"local": "provider.local", "pool": "provider.pool", "netcup": "provider.netcup", "hetzner": "provider.hetzner",
}

// ProviderName is a provider in words.
func ProviderName(ctx context.Context, name string) string { return word(ctx, providerNames, name) }

var providerStates = map[string]i18n.Key{
	"asking": "provider.is_asking", "problem": "provider.is_problem", "not_connected": "provider.is_not",
	"ready": "provider.is_ready", "no_key": "provider.is_no_key", "none_free": "provider.is_none_free",
}

var providerKinds = map[string]string{
	"asking": "busy", "problem": "bad", "not_connected": "off", "ready": "ok", "no_key": "off", "none_free": "warn",
}

// says is the provider's state in words.
func (p Provider) says(ctx context.Context) string {
	if p.Name == "netcup" && p.State == "ready" {
		return i18n.T(ctx, "provider.is_connected")
	}
	return word(ctx, providerStates, p.State)
}

var askEnds = map[string]i18n.Key{
	"refused": "provider.ask_refused", "expired": "provider.ask_expired", "stopped": "provider.ask_stopped",
}

var adoptedWords = map[string]i18n.Key{
	"free": "admin.pool.is_free", "held": "admin.pool.is_held", "taken": "admin.pool.is_taken", "wiping": "provider.is_wiping",
	"needs_hands": "admin.pool.is_hands",
}

var adoptedActs = map[string]i18n.Key{
	"hold": "admin.pool.hold", "free": "admin.pool.free", "wipe": "provider.wipe", "forget": "provider.forget",
}

func adoptedKind(state string) string {
	if state == "wiping" {
		return "busy"
	}
	return machineKind(state)
}

// capacity is what a provider has, in words.
func (p Provider) capacity(ctx context.Context) string {
	if p.Free < 0 {
		return i18n.T(ctx, "provider.used", "n", p.Used)
	}
	return i18n.T(ctx, "provider.used_free", "used", p.Used, "free", p.Free)
}

func (s Served) name(ctx context.Context) string {
	if s.Region == "" {
		return i18n.T(ctx, "provider.all_others")
	}
	text := word(ctx, regionWords, s.Region)
	if s.Plan != "" {
		text += " · " + strings.ToUpper(s.Plan[:1]) + s.Plan[1:]
	}
	return text
}

func served(ctx context.Context, all []Served) (pairs []ui.Pair) {
	for _, s := range all {
		pairs = append(pairs, ui.Pair{Name: s.name(ctx), Value: ProviderName(ctx, s.Provider)})
	}
	return pairs
}

// providerSettings are the settings of providers.
func providerSettings() string { return SettingsPath + "?" + url.Values{"of": {"providers"}}.Encode() }

func (p OtherMachines) plans(ctx context.Context) []ui.Option {
	all := []ui.Option{{Label: i18n.T(ctx, "provider.any_plan")}}
	for _, o := range p.Plans {
		all = append(all, ui.Option{Value: o[0], Label: o[1]})
	}
	return all
}

func byCity(ctx context.Context) []ui.Option {
	return append([]ui.Option{{Label: i18n.T(ctx, "provider.by_city")}}, regionOptions(ctx)...)
}

func (n Netcup) facts(ctx context.Context) []ui.Pair {
	pairs := []ui.Pair{{Name: i18n.T(ctx, "provider.machines"), Value: n.capacity(ctx)}}
	if n.Wiping > 0 {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "provider.is_wiping"), Value: strconv.Itoa(n.Wiping)})
	}
	if n.Connected {
		pairs = append([]ui.Pair{
			{Name: i18n.T(ctx, "provider.account"), Value: n.Account, Code: true},
			{Name: i18n.T(ctx, "provider.by"), Value: n.By},
			{Name: i18n.T(ctx, "provider.since"), View: ui.Time(n.At)},
		}, pairs...)
	}
	return pairs
}

// more leads to the settings of providers, for who may change them.
func (p Providers) more(ctx context.Context) *ui.Crumb {
	if !p.Settings {
		return nil
	}
	return &ui.Crumb{Label: i18n.T(ctx, "provider.change"), Href: providerSettings()}
}

// moreOf leads to where a provider is looked after.
func (p Providers) moreOf(ctx context.Context, name string) *ui.Crumb {
	if name == "pool" && p.Pool {
		return &ui.Crumb{Label: i18n.T(ctx, "admin.pool.title"), Href: PoolPath}
	}
	if name == "pool" {
		return nil
	}
	return p.more(ctx)
}
