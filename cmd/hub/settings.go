package main

import (
	"cmp"
	"context"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/billing"
	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/mailer"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/provider/vpshost/netcup"
	machines "gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/push"
	"gatehouse/app/server"
	"gatehouse/app/setting"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/db"
	"gatehouse/jobs"
	"gatehouse/views/mail"
	"gatehouse/views/ui"
)

// settingsOf are the settings, as the environment and our staff say. The environment gives defaults; what our staff set comes first.
func settingsOf(cfg config, d *db.DB, keys *db.Keyring, log *slog.Logger) *setting.Service {
	return &setting.Service{Store: &db.Settings{DB: d, Keys: keys}, Env: cfg.defaults(), Now: time.Now, Log: log}
}

// defaults are the settings that the environment says something else of than they come.
func (c *config) defaults() setting.Values {
	said := map[string]reflect.Value{}
	v := reflect.ValueOf(*c)
	for i := range v.NumField() {
		said[v.Type().Field(i).Tag.Get("env")] = v.Field(i)
	}
	env := setting.Values{}
	for _, s := range setting.Specs() {
		if s.Env == "" {
			continue
		}
		if text := settingText(s, said[s.Env].Interface()); text != "" && text != s.Default {
			env[s.Key] = text
		}
	}
	return env
}

// settingText is a value of the environment as a setting has it.
func settingText(s setting.Spec, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return setting.On
		}
		return setting.Off
	case time.Duration:
		return strconv.Itoa(max(s.Min, int(v.Minutes())))
	case slog.Level:
		for _, l := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
			if v <= l {
				return strings.ToLower(l.String())
			}
		}
		return strings.ToLower(slog.LevelError.String())
	}
	return ""
}

// tunePeople has the ways in of people read the settings.
func (p *parts) tunePeople() {
	s := p.settings
	p.desk.Lives = signin.Lives{
		Customer: s.Span(setting.CustomerDays), Staff: s.Span(setting.StaffHours), Idle: s.Span(setting.StaffIdle),
		Pending: s.Span(setting.PendingMinutes),
	}
	p.accounts.Tries.Most = s.Count(setting.TriesPerMinute) // our staff have the same
	p.accounts.MostInvitations = s.Count(setting.OpenInvitations)
	p.tokens.Life = s.Span(setting.TokenDays)
}

// tuneOrders has orders and mails about approvals read the settings.
func (p *parts) tuneOrders() {
	s := p.settings
	p.orders.Rules = order.Rules{
		Open: s.On(setting.OrdersOpen), PerDay: s.Count(setting.OrdersPerDay), Mode: s.Text(setting.OrderMode),
		TellLate: s.On(setting.OrderTellLate), TellStaff: s.On(setting.OrderTellStaff),
		Closed: s.Span(setting.GraceClosed), Refunded: s.Span(setting.GraceRefunded), Unpaid: s.Span(setting.GraceUnpaid),
		Lines: s.Span(setting.OrderLinesKept), Places: p.places, Plans: (&billing.Shelf{Bills: p.billing}).Plans,
	}
	p.mails.Kept = s.Span(setting.MailsKept)
	p.names.Rules = naming.Rules{
		Issuer: s.Text(setting.NamesIssuer), GiveUp: s.Span(setting.NamesGiveUp), TTL: s.Count(setting.NamesTTL),
		Calm: s.Span(setting.NamesCalm),
	}
}

// tuneRest has servers, devices and set-up read the settings.
func (p *parts) tuneRest() {
	s := p.settings
	p.servers.Rules = server.Rules{
		Degraded: s.Count(setting.DegradedBeats), Offline: s.Count(setting.OfflineBeats), KeyLife: s.Span(setting.LinkKeyDays),
	}
	p.passkeys.Most = s.Count(setting.MostPasskeys)
	p.push.Rules = push.Rules{
		Devices: s.Count(setting.MostDevices), Pause: s.Span(setting.PushPause), Kept: s.Span(setting.PushKept),
	}
	p.setup.Rules = setup.Rules{
		Step: s.Span(setting.StepLimit), Memory: s.Count(setting.LeastMemory), Disk: s.Count(setting.LeastDisk),
		Authority: s.Text(setting.NamesACME),
	}
}

// promised is how long an order may take before it is late.
func (p *parts) promised() time.Duration { return p.settings.Minutes(setting.OrderPromise) }

// mailPace is when owners are mailed about approvals that wait.
func (p *parts) mailPace() (after, pause time.Duration) {
	return p.settings.Minutes(setting.ApprovalAfter), p.settings.Minutes(setting.ApprovalPause)
}

// historyKept is how long heartbeats, steps of five minutes and of an hour stay.
func (p *parts) historyKept() [3]time.Duration {
	s := p.settings
	return [3]time.Duration{s.Span(setting.KeepBeats)(), s.Span(setting.KeepFives)(), s.Span(setting.KeepHours)()}
}

// retryPauses are the pauses before a step of an order is tried again.
func (p *parts) retryPauses() [3]time.Duration {
	s := p.settings
	return [3]time.Duration{s.Span(setting.RetryFirst)(), s.Span(setting.RetrySecond)(), s.Span(setting.RetryThird)()}
}

// presets are the models behind the presets that owners choose from.
func (p *parts) presets() map[string]string {
	s := p.settings
	return map[string]string{
		wire.PresetBasic: s.Text(setting.ModelBasic)(), wire.PresetBalanced: s.Text(setting.ModelBalanced)(),
		wire.PresetComplex: s.Text(setting.ModelComplex)(),
	}
}

// limits are which rate is set by which setting.
var limits = map[web.Limit]setting.Key{
	web.LimitSignIn: setting.RateSignIn, web.LimitCheckout: setting.RateCheckout, web.LimitMail: setting.RateMail,
	web.LimitInvite: setting.RateInvite, web.LimitRegister: setting.RateRegister, web.LimitAPI: setting.RateAPI,
	web.LimitHook: setting.RateHook,
}

// rate is how many may come in a minute.
func (p *parts) rate(l web.Limit) int { return p.settings.Count(limits[l])() }

// operator is who runs this hub, for its pages.
func (p *parts) operator() ui.Operator {
	s := p.settings
	return ui.Operator{
		Email: s.Text(setting.CompanyEmail)(), Phone: s.Text(setting.CompanyPhone)(), Text: s.Text(setting.CompanyHours)(),
		Legal: p.legal.Written(),
	}
}

// house is who sends the letters.
func (p *parts) house(ctx context.Context) context.Context {
	address := strings.Join(strings.FieldsFunc(p.settings.Text(setting.CompanyAddress)(), func(r rune) bool { return r == '\n' }), ", ")
	return mail.WithHouse(ctx, mail.House{Name: p.settings.Text(setting.CompanyName)(), Address: address})
}

// lettersNow are letters from the house as it is called now.
func (p *parts) lettersNow(public string) jobs.Writer {
	write := letters(public)
	return func(ctx context.Context, l account.Letter) (subject, html, text string, err error) {
		return write(p.house(ctx), l)
	}
}

// remindersNow are mails about approvals, likewise.
func (p *parts) remindersNow(public string) jobs.ReminderWriter {
	write := reminders(public)
	return func(ctx context.Context, r approval.Reminder) (subject, html, text string, err error) {
		return write(p.house(ctx), r)
	}
}

// mailing hands letters to the mail server that is set.
type mailing struct {
	settings *setting.Service
	name     string // what this hub calls itself
}

func (m mailing) now() *mailer.SMTP {
	s := m.settings
	return &mailer.SMTP{
		Addr: s.Text(setting.MailServer)(), From: s.Text(setting.MailFrom)(), User: s.Text(setting.MailUser)(),
		Password: s.Text(setting.MailPassword)(), TLS: s.On(setting.MailTLS)(), Name: m.name,
	}
}

// Send hands a letter over.
func (m mailing) Send(ctx context.Context, msg mailer.Message) error { return m.now().Send(ctx, msg) }

// places are where servers can be set up.
func (p *parts) places() []string {
	all := []string{local.Name, machines.Name}
	if p.settings.Text(setting.HetznerToken)() != "" {
		all = append(all, hetzner.Name)
	}
	if p.netcupConnected() {
		all = append(all, netcup.Name)
	}
	return all
}

// netcupConnected says whether netcup is offered. When that cannot be read now, it is not.
func (p *parts) netcupConnected() bool {
	ctx, cancel := context.WithTimeout(context.Background(), linkReadWithin)
	defer cancel()
	l, err := p.netcup.Links.Link(ctx)
	return err == nil && l.Connected()
}

// linkReadWithin is how long a page waits to learn whether netcup is connected.
const linkReadWithin = 2 * time.Second

// place is where the server of an order is set up for which nobody chose a place: by region and plan, or else by region, or else where
// all are.
func (p *parts) place(o order.Order) string {
	by := map[string]string{}
	for one := range strings.SplitSeq(p.settings.Text(setting.ProviderChoice)(), ",") {
		what, where, _ := strings.Cut(strings.TrimSpace(one), "=")
		by[what] = where
	}
	return cmp.Or(by[string(o.Region)+"/"+string(o.Plan)], by[string(o.Region)], p.settings.Text(setting.ProviderDefault)())
}

// rented is how machines are rented.
func (p *parts) rented() hetzner.Rules {
	s := p.settings
	return hetzner.Rules{Token: s.Text(setting.HetznerToken), Boot: s.Span(setting.BootWait), Wanted: func() hetzner.Wanted {
		wanted, _ := hetzner.ParseWanted(s.Text(setting.HetznerMachines)(), []string{string(order.EU), string(order.NA)})
		return wanted // none: each order is refused and says why
	}}
}

// tokened is a provider of DNS with the address and the token that are set.
type tokened struct {
	name    string
	address func() string
	token   func() string

	mu   sync.Mutex
	with [2]string // address and token
	api  dnshost.Provider
}

func (t *tokened) now() (dnshost.Provider, error) {
	with := [2]string{t.address(), t.token()}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.api != nil && t.with == with {
		return t.api, nil
	}
	var err error
	if t.name == dnshost.CloudflareName {
		t.api, err = dnshost.NewCloudflare(cmp.Or(with[0], dnshost.CloudflareURL), with[1])
	} else {
		t.api, err = dnshost.NewPowerDNS(with[0], with[1])
	}
	if err != nil {
		t.api = nil
	}
	t.with = with
	return t.api, err
}

// Name is that of the provider.
func (t *tokened) Name() string { return t.name }

// Under lists the records of host and of all names below it.
func (t *tokened) Under(ctx context.Context, zone, host string) ([]dns.Record, error) {
	api, err := t.now()
	if err != nil {
		return nil, err
	}
	return api.Under(ctx, zone, host)
}

// Add adds a record.
func (t *tokened) Add(ctx context.Context, zone string, r dns.Record) error {
	api, err := t.now()
	if err != nil {
		return err
	}
	return api.Add(ctx, zone, r)
}

// Remove takes a record away.
func (t *tokened) Remove(ctx context.Context, zone string, r dns.Record) error {
	api, err := t.now()
	if err != nil {
		return err
	}
	return api.Remove(ctx, zone, r)
}

// follow has the level of the log be as it is set.
func (p *parts) follow(level *slog.LevelVar) {
	if level == nil {
		return
	}
	p.settings.Follow = func(v setting.Values) {
		var l slog.Level
		if err := l.UnmarshalText([]byte(v[setting.LogLevel])); err == nil {
			level.Set(l)
		}
	}
}
