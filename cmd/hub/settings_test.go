package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnslook"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/db/dbtest"
)

// openTestParts opens the parts of a hub on a database of its own.
func openTestParts(t *testing.T, env map[string]string) *parts {
	t.Helper()
	all := map[string]string{"DATABASE_URL": dbtest.NewDSN(t), "GATEHOUSE_DIR": t.TempDir(), "SMTP_ADDR": "mail.example.com:25"}
	for k, v := range env {
		all[k] = v
	}
	cfg, err := loadConfig(all)
	ok(t, err)
	p, err := openParts(t.Context(), cfg, slog.New(slog.DiscardHandler))
	ok(t, err)
	t.Cleanup(p.close)
	return p
}

var settingAdmin = audit.Actor{
	Kind: audit.Staff, ID: "11111111-1111-7111-8111-111111111111", Name: "admin@example.com", Role: string(staff.Admin),
}

func set(t *testing.T, p *parts, k setting.Key, v string) {
	t.Helper()
	ok(t, p.settings.Set(t.Context(), k, v, "for a test", settingAdmin))
}

// signedWith says whether an event counts that was signed with a secret.
func (p *parts) signedWith(secret string) bool {
	now := time.Now()
	const event = `{"id":"evt_1","object":"event","created":%d,"type":"product.created","data":{"object":{"id":"prod_1"}}}`
	body := fmt.Appendf(nil, event, now.Unix())
	_, err := p.stripe.Verify(body, stripetest.Sign(body, secret, now), now)
	return err == nil
}

// TestSettings_inForce: each setting is read by what it is about: there its value is another one as soon as it is changed.
func TestSettings_inForce(t *testing.T) {
	t.Parallel()
	p := openTestParts(t, map[string]string{
		"HUB_DNS": "powerdns", "HUB_DNS_ZONE": "hosted.example.com", "HUB_DNS_URL": "http://127.0.0.1:1", "HUB_DNS_TOKEN": "t0ken",
	})
	level := new(slog.LevelVar)
	p.follow(level)
	has := func(text string) bool {
		_, html, _, err := p.lettersNow("https://hub.example.com")(t.Context(), accountLetter())
		ok(t, err)
		return strings.Contains(html, text)
	}
	lookout := p.names.Lookout.(*dnslook.Lookout)
	api := p.names.Records.(*dnshost.Host).Provider.(*tokened)
	smtp := mailing{p.settings, "hub.example.com"}
	rules, lives, rent := p.orders.Rules, p.desk.Lives, p.rented()
	minutes := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	days := func(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
	for _, c := range []struct {
		key   setting.Key
		value string
		is    func() any
		want  any
	}{
		{setting.CompanyName, "Example Hosting", func() any { return has("<b>Example Hosting</b>") }, true},
		{setting.CompanyAddress, "Example Street 1\n1010 Vienna", func() any { return has("Example Street 1, 1010 Vienna") }, true},
		{setting.CompanyEmail, "help@example.com", func() any { return p.operator().Email }, "help@example.com"},
		{setting.CompanyPhone, "+43 1 234 56 78", func() any { return p.operator().Phone }, "+43 1 234 56 78"},
		{setting.CompanyHours, "Mondays", func() any { return p.operator().Text }, "Mondays"},
		{setting.OrdersOpen, "off", func() any { return rules.Open() }, false},
		{setting.OrdersPerDay, "7", func() any { return rules.PerDay() }, 7},
		{setting.OrderMode, "MANUAL", func() any { return rules.Mode() }, "MANUAL"},
		{setting.OrderPromise, "45", func() any { return p.orders.Promised() }, minutes(45)},
		{setting.OrderTellLate, "off", func() any { return rules.TellLate() }, false},
		{setting.OrderTellStaff, "off", func() any { return rules.TellStaff() }, false},
		{setting.GraceClosed, "3", func() any { return rules.Closed() }, days(3)},
		{setting.GraceRefunded, "4", func() any { return rules.Refunded() }, days(4)},
		{setting.GraceUnpaid, "5", func() any { return rules.Unpaid() }, days(5)},
		{setting.CloseAfter, "6", func() any { return p.closing.On(time.Time{}) }, time.Time{}.Add(days(6))},
		{setting.InvoicesKept, "8", func() any { return p.closing.KeptYears() }, 8},
		{setting.RetryFirst, "2", func() any { return p.retryPauses()[0] }, minutes(2)},
		{setting.RetrySecond, "3", func() any { return p.retryPauses()[1] }, minutes(3)},
		{setting.RetryThird, "4", func() any { return p.retryPauses()[2] }, minutes(4)},
		{setting.RegisterWait, "75", func() any { return p.settings.Span(setting.RegisterWait)() }, 75 * time.Second},
		{setting.StepLimit, "20", func() any { return p.setup.Rules.Step() }, minutes(20)},
		{setting.BootWait, "9", func() any { return rent.Boot() }, minutes(9)},
		{setting.LeastMemory, "2000", func() any { return p.setup.Rules.Memory() }, 2000},
		{setting.LeastDisk, "20", func() any { return p.setup.Rules.Disk() }, 20},
		{setting.ProviderDefault, "pool", func() any { return p.place(orderIn("na")) }, "pool"},
		{setting.ProviderChoice, "eu=local", func() any { return p.place(orderIn("eu")) }, "local"},
		{setting.LocalMost, "2", func() any { return p.settings.Count(setting.LocalMost)() }, 2},
		{setting.HetznerToken, "token", func() any { return rent.Token() }, "token"},
		{setting.HetznerMachines, "eu=cx23@nbg1", func() any { return rent.Wanted()["eu"].Type }, "cx23"},
		{setting.NamesToken, "other", func() any { _, err := api.now(); return fmt.Sprint(api.with[1], err) }, "other<nil>"},
		{setting.NamesAPI, "https://a.at", func() any { _, err := api.now(); return fmt.Sprint(api.with[0], err) }, "https://a.at<nil>"},
		{setting.NamesAsks, "192.0.2.53:53", func() any { return lookout.Asks() }, "192.0.2.53:53"},
		{setting.NamesIssuer, "ca.example.com", func() any { return p.names.Rules.Issuer() }, "ca.example.com"},
		{setting.NamesACME, "https://a.example/acme", func() any { return p.setup.Rules.Authority() }, "https://a.example/acme"},
		{setting.NamesGiveUp, "90", func() any { return p.names.Rules.GiveUp() }, minutes(90)},
		{setting.NamesTTL, "120", func() any { return p.names.Rules.TTL() }, 120},
		{setting.NamesCalm, "9", func() any { return p.names.Rules.Calm() }, 9 * time.Second},
		{setting.OfflineBeats, "9", func() any { return p.servers.Rules.Offline() }, 9},
		{setting.DegradedBeats, "6", func() any { return p.servers.Rules.Degraded() }, 6},
		{setting.LinkKeyDays, "30", func() any { return p.servers.Rules.KeyLife() }, days(30)},
		{setting.KeepBeats, "26", func() any { return p.historyKept()[0] }, 26 * time.Hour},
		{setting.KeepFives, "9", func() any { return p.historyKept()[1] }, days(9)},
		{setting.KeepHours, "400", func() any { return p.historyKept()[2] }, days(400)},
		{setting.CustomerDays, "7", func() any { return lives.Customer() }, days(7)},
		{setting.StaffHours, "8", func() any { return lives.Staff() }, 8 * time.Hour},
		{setting.StaffIdle, "15", func() any { return lives.Idle() }, minutes(15)},
		{setting.PendingMinutes, "5", func() any { return lives.Pending() }, minutes(5)},
		{setting.TriesPerMinute, "4", func() any { return p.accounts.Tries.Most() }, 4},
		{setting.OpenInvitations, "3", func() any { return p.accounts.MostInvitations() }, 3},
		{setting.TokenDays, "30", func() any { return p.tokens.Life() }, days(30)},
		{setting.MostPasskeys, "4", func() any { return p.passkeys.Most() }, 4},
		{setting.MostDevices, "3", func() any { return p.push.Rules.Devices() }, 3},
		{setting.MailServer, "other.example.com:587", func() any { return smtp.now().Addr }, "other.example.com:587"},
		{setting.MailUser, "hub", func() any { return smtp.now().User }, "hub"},
		{setting.MailPassword, "swordfish", func() any { return smtp.now().Password }, "swordfish"},
		{setting.MailTLS, "on", func() any { return smtp.now().TLS }, true},
		{setting.MailFrom, "Us <us@example.com>", func() any { return smtp.now().From }, "Us <us@example.com>"},
		{setting.ApprovalAfter, "20", func() any { after, _ := p.mails.Pace(); return after }, minutes(20)},
		{setting.ApprovalPause, "40", func() any { _, pause := p.mails.Pace(); return pause }, minutes(40)},
		{setting.PushPause, "60", func() any { return p.push.Rules.Pause() }, minutes(1)},
		{setting.PushKept, "2", func() any { return p.push.Rules.Kept() }, 2 * time.Hour},
		{setting.StripeKey, "sk_test_1", func() any { return p.payments.On() }, true},
		{setting.StripeHook, "whsec_1", func() any { return p.signedWith("whsec_1") }, true},
		{setting.StripeHookOld, "whsec_0", func() any { return p.signedWith("whsec_0") }, true},
		{setting.RatesAddress, "https://bank.example.com/xml", func() any { return p.ratesFrom() }, "https://bank.example.com/xml"},
		{setting.ModelBasic, "mini", func() any { return p.presets()[wire.PresetBasic] }, "mini"},
		{setting.ModelBalanced, "medium", func() any { return p.presets()[wire.PresetBalanced] }, "medium"},
		{setting.ModelComplex, "maxi", func() any { return p.presets()[wire.PresetComplex] }, "maxi"},
		{setting.ModelMeaning, "vectors", func() any { return p.billing.Embeddings() }, "vectors"},
		{setting.FilesEndpoint, "https://s3.example.com", func() any { return p.bucket().Endpoint }, "https://s3.example.com"},
		{setting.FilesRegion, "eu-central-1", func() any { return p.bucket().Region }, "eu-central-1"},
		{setting.FilesBucket, "photos", func() any { return p.bucket().Bucket }, "photos"},
		{setting.FilesKeyID, "id", func() any { return p.bucket().KeyID }, "id"},
		{setting.FilesKey, "swordfish", func() any { return p.bucket().Key }, "swordfish"},
		{setting.FilesIn, "s3", func() any { f, _ := p.staff.Photos.(kept).now(); return fmt.Sprintf("%T", f) }, "*objectstore.S3"},
		{setting.LogLevel, "debug", func() any { _ = p.promised(); return level.Level() }, slog.LevelDebug},
		{setting.OrderLinesKept, "10", func() any { return rules.Lines() }, days(10)},
		{setting.MailsKept, "3", func() any { return p.mails.Kept() }, days(3)},
		{setting.RateSignIn, "20", func() any { return p.rate(web.LimitSignIn) }, 20},
		{setting.RateCheckout, "21", func() any { return p.rate(web.LimitCheckout) }, 21},
		{setting.RateMail, "22", func() any { return p.rate(web.LimitMail) }, 22},
		{setting.RateInvite, "23", func() any { return p.rate(web.LimitInvite) }, 23},
		{setting.RateRegister, "24", func() any { return p.rate(web.LimitRegister) }, 24},
		{setting.RateHook, "251", func() any { return p.rate(web.LimitHook) }, 251},
		{setting.RateAPI, "250", func() any { return p.rate(web.LimitAPI) }, 250},
	} {
		if got := c.is(); got == c.want {
			t.Errorf("%s: %v before it was changed", c.key, got)
		}
		set(t, p, c.key, c.value)
		if got := c.is(); got != c.want {
			t.Errorf("%s: %v, want %v", c.key, got, c.want)
		}
	}
	all, err := p.settings.List(t.Context())
	ok(t, err)
	for _, n := range all {
		if !n.Changed {
			t.Errorf("%s is not in the table of this test", n.Key)
		}
	}
	if len(all) < 50 {
		t.Errorf("%d settings", len(all))
	}
}

// TestSettings_read: no setting is a promise alone: the code of the hub reads each.
func TestSettings_read(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	files, err := filepath.Glob("*.go")
	ok(t, err)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		ok(t, err)
		code.Write(b)
	}
	table, err := os.ReadFile("../../app/setting/keys.go")
	ok(t, err)
	named := regexp.MustCompile(`(?m)^\t(\w+)\s+Key = "`).FindAllStringSubmatch(string(table), -1)
	if len(named) != len(setting.Specs()) {
		t.Errorf("%d keys are named, %d settings are there", len(named), len(setting.Specs()))
	}
	for _, m := range named {
		if !regexp.MustCompile(`setting\.` + m[1] + `\b`).MatchString(code.String()) {
			t.Errorf("nothing reads %s", m[1])
		}
	}
}

// TestSettings_environment: what the environment says is how a setting comes.
func TestSettings_environment(t *testing.T) {
	t.Parallel()
	cfg, err := loadConfig(map[string]string{
		"SMTP_ADDR": "mail.example.com:587", "SMTP_PASSWORD": "swordfish", "SMTP_TLS": "1", "HUB_DNS_GIVE_UP": "2h", "LOG_LEVEL": "warn",
		"HUB_CONTACT_EMAIL": "help@example.com", "HUB_PROVIDER": "pool",
	})
	ok(t, err)
	want := setting.Values{
		setting.MailServer: "mail.example.com:587", setting.MailPassword: "swordfish", setting.MailTLS: "on", setting.NamesGiveUp: "120",
		setting.LogLevel: "warn", setting.CompanyEmail: "help@example.com", setting.ProviderDefault: "pool",
	}
	if got := cfg.defaults(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if cfg, err = loadConfig(nil); err != nil || len(cfg.defaults()) != 0 {
		t.Errorf("an environment that says nothing: %v, %v", cfg.defaults(), err)
	}
}

// TestSettings_orders: orders are refused while they are closed or a day is full, and a new one waits for our staff when it is to.
func TestSettings_orders(t *testing.T) {
	t.Parallel()
	p := openTestParts(t, nil)
	place := func(email string) error {
		_, o, err := p.orders.Checkout(context.WithoutCancel(t.Context()), signUp(email), choiceOf("build"))
		if err == nil && string(o.Mode) != p.settings.Text(setting.OrderMode)() {
			t.Errorf("ordered in mode %s", o.Mode)
		}
		return err
	}
	set(t, p, setting.OrdersOpen, "off")
	if err := place("a@example.com"); err == nil || !strings.Contains(err.Error(), "no new orders") {
		t.Errorf("while closed: %v", err)
	}
	set(t, p, setting.OrdersOpen, "on")
	set(t, p, setting.OrdersPerDay, "1")
	set(t, p, setting.OrderMode, "MANUAL")
	ok(t, place("b@example.com"))
	if err := place("c@example.com"); err == nil || !strings.Contains(err.Error(), "orders of a day") {
		t.Errorf("on a full day: %v", err)
	}
}

func accountLetter() account.Letter {
	return account.Letter{Template: "verify", To: "owner@example.com", Name: "Somebody", Token: "secret"}
}

func orderIn(r order.Region) order.Order { return order.Order{Region: r, Plan: "lite"} }

func signUp(email string) account.SignUp {
	return account.SignUp{
		Name: "Somebody", Business: "Example Bakery", Email: email, Password: "correct staple battery", TimeZone: "Europe/Vienna",
	}
}

func choiceOf(plan pricing.PlanID) order.Choice { return order.Choice{Plan: plan} }

// TestAPI_settings: a program of our staff reads and changes settings, but not those that ask for a fresh sign-in. Every answer fits the
// document of the API.
func TestAPI_settings(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	admin, manager := w.clerk(staff.Admin), w.clerk(staff.Manager)
	if all := admin.asks("GET", "/settings", "", 200)["items"].([]any); len(all) != len(setting.Specs()) {
		t.Errorf("%d settings", len(all))
	}
	manager.asks("GET", "/settings", "", 403)
	const promise = "/settings/orders.promised_minutes"
	if n := admin.asks("PATCH", promise, `{"value":"45","reason":"slow"}`, 200); n["value"] != "45" || n["changed"] != true {
		t.Errorf("changed: %v", n)
	}
	if w.promised() != 45*time.Minute {
		t.Error("not in force")
	}
	admin.asks("PATCH", promise, `{"value":"45","reason":"slow"}`, 409)
	admin.asks("PATCH", promise, `{"value":"4","reason":"slow"}`, 422)
	if m := admin.asks("PATCH", "/settings/security.staff_hours", `{"value":"8","reason":"why"}`, 403); m["type"] != "setting-console" {
		t.Errorf("of safety: %v", m)
	}
	admin.asks("PATCH", "/settings/x", `{"value":"8","reason":"why"}`, 404)
	if n := admin.asks("PATCH", promise, `{"value":null,"reason":"fast"}`, 200); n["value"] != "30" || n["changed"] != false {
		t.Errorf("reset: %v", n)
	}
	if all := admin.asks("GET", promise+"/history", "", 200)["items"].([]any); len(all) != 2 {
		t.Errorf("history: %v", all)
	}
	if n := admin.asks("GET", promise, "", 200); n["value"] != "30" {
		t.Errorf("one: %v", n)
	}
}
