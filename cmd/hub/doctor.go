package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/provider/mailer"
	"gatehouse/app/provider/webpush"
	"gatehouse/app/relay"
	"gatehouse/cmd/hub/doctor"
	"gatehouse/db"
	"gatehouse/db/backup"
)

// errUnwell says that the hub lacks something that it needs.
var errUnwell = errors.New("this hub does not have all that it needs")

// doctorCommand is hub doctor.
func doctorCommand(ctx context.Context, c call) error {
	f := quietFlags("hub doctor")
	asJSON := f.Bool("json", false, "")
	mailTo := f.String("mail-to", "", "")
	if err := f.Parse(c.args); err != nil || f.NArg() > 0 {
		return fmt.Errorf("hub doctor [--json] [--mail-to ADDRESS]: %w", errUsage)
	}
	if _, err := mail.ParseAddress(*mailTo); *mailTo != "" && err != nil {
		return fmt.Errorf("--mail-to %q is no e-mail address: %w", *mailTo, errUsage)
	}
	r := examine(ctx, c.env, *mailTo)
	var err error
	if *asJSON {
		e := json.NewEncoder(c.out)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.WriteText(c.out)
	}
	if err == nil && r.Worst == doctor.Fail {
		err = fmt.Errorf("%w: %d of %d things fail", errUnwell, r.Failed(), len(r.Findings))
	}
	return err
}

// patient is the hub that is looked at.
type patient struct {
	cfg    config
	env    map[string]string
	mailTo string
	db     *db.DB // nil when it cannot be reached
	health db.Health
	keys   *db.Keyring // nil when they cannot be read
}

// examine looks at everything. Without a configuration there is nothing else to look at.
func examine(ctx context.Context, env map[string]string, mailTo string) doctor.Report {
	cfg, wrong := loadConfig(env)
	p := &patient{cfg: cfg, env: env, mailTo: mailTo}
	checks := []doctor.Check{{Name: "configuration", Look: func(context.Context) doctor.Finding { return p.configuration(wrong) }}}
	if wrong == nil {
		checks = append(
			checks,
			doctor.Check{Name: "database", Look: p.database},
			doctor.Check{Name: "schema", Look: p.schema},
			doctor.Check{Name: "key file", Look: doctor.KeyFile(cfg.keyFile())},
			doctor.Check{Name: "secrets", Look: p.secrets},
			doctor.Check{Name: "push key", Look: p.pushKey},
			doctor.Check{Name: "clock", Look: doctor.Clock(time.Now, p.timeOfDatabase)},
			doctor.Check{Name: "disk", Look: doctor.Disk(p.folders()...)},
			doctor.Check{Name: "mail", Look: p.mail},
			doctor.Check{Name: "live traffic", Look: p.live},
			doctor.Check{Name: "public address", Look: doctor.Public(cfg.PublicURL)},
			doctor.Check{Name: "legal texts", Look: p.legal},
			doctor.Check{Name: "queue", Look: p.queue},
			doctor.Check{Name: "backup", Look: p.backup},
		)
	}
	defer func() {
		if p.db != nil {
			p.db.Close()
		}
	}()
	return doctor.Run(ctx, time.Now(), checks, p.hide)
}

// hide takes the secrets of the configuration out of what is printed: an error may quote an address that holds one.
func (p *patient) hide(s string) string {
	env, _ := withFiles(p.env) // what cannot be read is not known, and not printed
	for f := range fields() {
		if f.Tag.Get("secret") == "" {
			continue
		}
		v := env[f.Tag.Get("env")]
		parts := []string{v}
		if u, err := url.Parse(v); err == nil && u.User != nil {
			word, _ := u.User.Password()
			parts = append(parts, word)
			if word == "" {
				parts = append(parts, u.User.Username()) // a token of NATS stands there
			}
		}
		for _, secret := range parts {
			if len(secret) > 3 { // shorter ones would be found in ordinary words
				s = strings.ReplaceAll(s, secret, "***")
			}
		}
	}
	return s
}

func (p *patient) configuration(wrong error) doctor.Finding {
	const mend = "hub --help lists every variable; hub --env FILE doctor reads them from a file."
	if wrong == nil {
		wrong = errors.Join(p.cfg.needs(), p.cfg.edge().Check())
	}
	if wrong != nil {
		return doctor.Bad(mend, "%s", strings.ReplaceAll(wrong.Error(), "\n", "; "))
	}
	return doctor.Good("complete")
}

func (p *patient) database(ctx context.Context) doctor.Finding {
	if p.cfg.DatabaseURL == "" {
		return doctor.Bad("Set DATABASE_URL, or DATABASE_URL_FILE.", "no database is named")
	}
	d, err := db.Open(ctx, p.cfg.DatabaseURL)
	if err != nil {
		return doctor.Bad("See that Postgres runs, and that name and password in DATABASE_URL are right.", "%v", err)
	}
	p.db = d
	if p.health, err = d.Health(ctx); err != nil {
		return doctor.Bad("Run: hub migrate", "it answers, but has no tables of this hub: %v", err)
	}
	if h := p.health; h.Connections*10 > h.Room*9 {
		return doctor.Doubtful("Raise max_connections of Postgres, or lower pool_max_conns in DATABASE_URL.",
			"Postgres %s; %d of %d connections are taken", h.Version, h.Connections, h.Room)
	}
	h := p.health
	return doctor.Good("Postgres %s, %d MB, %d of %d connections", h.Version, h.Bytes>>20, h.Connections, h.Room)
}

func (p *patient) schema(ctx context.Context) doctor.Finding {
	if p.db == nil {
		return doctor.Bad("Mend the database first.", "it cannot be seen")
	}
	switch err := db.Check(ctx, p.cfg.DatabaseURL); {
	case errors.Is(err, db.ErrBehind):
		return doctor.Bad("Run: hub migrate", "%v", err)
	case errors.Is(err, db.ErrNewer):
		return doctor.Bad("Install the newer program.", "%v", err)
	case err != nil:
		return doctor.Bad("Put the released program back.", "%v", err)
	}
	return doctor.Good("it is the one of this program")
}

func (p *patient) secrets(ctx context.Context) doctor.Finding {
	if p.db == nil {
		return doctor.Bad("Mend the database first.", "they cannot be seen")
	}
	keys, err := db.ReadKeyring(p.cfg.keyFile())
	if err != nil {
		return doctor.Bad("Mend the key file first.", "%v", err)
	}
	all, closed, err := (&db.HubSecrets{DB: p.db, Keys: keys}).Names(ctx)
	switch {
	case err != nil:
		return doctor.Bad("Run: hub migrate", "%v", err)
	case len(closed) > 0:
		return doctor.Bad("Put back the key file that the database was made with; hub restore brings both together.",
			"the key file does not open %s", strings.Join(closed, ", "))
	}
	p.keys = keys
	return doctor.Good("the key file opens all %d", len(all))
}

func (p *patient) pushKey(ctx context.Context) doctor.Finding {
	if p.db == nil || p.keys == nil {
		return doctor.Bad("Mend the database and the key file first.", "it cannot be seen")
	}
	errNone := errors.New("none")
	key, err := (&db.HubSecrets{DB: p.db, Keys: p.keys}).Get(ctx, pushKey, func() ([]byte, error) { return nil, errNone })
	if errors.Is(err, errNone) {
		return doctor.Doubtful("Start the hub once: it makes the key.", "there is none yet, as this hub never ran")
	}
	if err == nil {
		_, err = webpush.New(webpush.Options{Key: key, Subject: pushSubject(p.cfg), Now: time.Now})
	}
	if err != nil {
		return doctor.Bad("Delete the row \"push\" of hub_secrets; every device then has to be turned on again.", "%v", err)
	}
	return doctor.Good("notifications can be signed")
}

func (p *patient) timeOfDatabase(context.Context) time.Time {
	if p.health.Now.IsZero() {
		return time.Time{}
	}
	h, err := p.db.Health(context.Background())
	if err != nil {
		return time.Time{}
	}
	return h.Now
}

// folders are where the hub writes.
func (p *patient) folders() []string {
	if p.cfg.BackupDir != "" {
		return []string{p.cfg.Dir, p.cfg.BackupDir}
	}
	return []string{p.cfg.Dir}
}

func (p *patient) mail(ctx context.Context) doctor.Finding {
	s := p.mailer()
	if s.Addr == "" {
		return doctor.Bad("Set SMTP_ADDR.", "no mail server is named")
	}
	const mend = "See that SMTP_ADDR, SMTP_USER and SMTP_PASSWORD, or the settings of mail in the console, are right " +
		"and that this machine may reach the mail server."
	if p.mailTo == "" {
		if err := s.Probe(ctx); err != nil {
			return doctor.Bad(mend, "%v", err)
		}
		return doctor.Good("%s takes the sign-in; nothing was sent", s.Addr)
	}
	const text = "This is a test by hub doctor. Mail of this hub arrives."
	err := s.Send(ctx, mailer.Message{
		ID: uuid.NewString(), To: p.mailTo, Subject: "Gatehouse: a test", Text: text, HTML: "<p>" + text + "</p>",
	})
	if err != nil {
		return doctor.Bad(mend, "%v", err)
	}
	return doctor.Good("%s took a test for %s", s.Addr, p.mailTo)
}

// mailer is how mail goes out: as our staff set it, or as the environment says where the settings cannot be read.
func (p *patient) mailer() *mailer.SMTP {
	name := hostOf(p.cfg.PublicURL)
	if p.db == nil || p.keys == nil {
		return &mailer.SMTP{
			Addr: p.cfg.SMTPAddr, From: p.cfg.MailFrom, User: p.cfg.SMTPUser, Password: p.cfg.SMTPPassword, TLS: p.cfg.SMTPTLS, Name: name,
		}
	}
	return mailing{settingsOf(p.cfg, p.db, p.keys, slog.New(slog.DiscardHandler)), name}.now()
}

func (p *patient) live(context.Context) doctor.Finding {
	if p.cfg.NATSURL == "" {
		return doctor.Good("inside the hub; a second hub or hub work needs NATS_URL")
	}
	r, err := relay.Open(relay.Options{URL: p.cfg.NATSURL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return doctor.Bad("See that nats-server runs, that NATS_URL is right, and that max_payload is large enough.", "%v", err)
	}
	defer r.Close()
	return doctor.Good("NATS answers")
}

func (p *patient) legal(context.Context) doctor.Finding {
	pages, err := p.cfg.readLegal()
	if err != nil {
		return doctor.Bad("Mend the file, or name another folder in HUB_LEGAL_DIR.", "%v", err)
	}
	var missing []string
	for _, name := range pages.Missing() {
		missing = append(missing, name+".md")
	}
	if p.cfg.ContactEmail == "" {
		missing = append(missing, "HUB_CONTACT_EMAIL")
	}
	if len(missing) > 0 {
		return doctor.Doubtful("Write the files into the folder that HUB_LEGAL_DIR names, and set the variables.",
			"missing: %s", strings.Join(missing, ", "))
	}
	return doctor.Good("terms, privacy, imprint and contact are there")
}

// stuckAfter is how long a job may wait until nobody can be working.
const stuckAfter = time.Minute

func (p *patient) queue(context.Context) doctor.Finding {
	const see = "See which in the console, under Jobs."
	h := p.health
	switch {
	case h.Now.IsZero():
		return doctor.Bad("Mend the database first.", "it cannot be seen")
	case h.Waits > stuckAfter:
		return doctor.Bad("Start hub serve or hub work; if it runs, look into its log.",
			"a job waits for %s: nobody works", h.Waits.Round(time.Second))
	case h.Lost > 0:
		return doctor.Doubtful(see, "%d jobs were given up within a day, %d failed and are tried again", h.Lost, h.Failing)
	case h.Failing > 0:
		return doctor.Doubtful(see, "%d jobs failed and are tried again", h.Failing)
	}
	return doctor.Good("nothing waits, nothing fails")
}

// maxBackupAge is how old the last backup may be: a night and what the timer spreads.
const maxBackupAge = 26 * time.Hour

func (p *patient) backup(context.Context) doctor.Finding {
	const mend = "systemctl enable --now gatehouse-backup.timer, and: journalctl -u gatehouse-backup"
	if p.cfg.BackupDir == "" {
		return doctor.Doubtful("Set HUB_BACKUP_DIR and HUB_BACKUP_RECIPIENTS, and enable gatehouse-backup.timer.",
			"this hub is not backed up")
	}
	all, err := backup.All(p.cfg.BackupDir)
	if err != nil {
		return doctor.Bad(mend, "%v", err)
	}
	if len(all) == 0 {
		return doctor.Doubtful(mend, "there is none in %s yet", p.cfg.BackupDir)
	}
	age := time.Since(backup.TimeOf(all[len(all)-1])).Round(time.Minute)
	if age > maxBackupAge {
		return doctor.Bad(mend, "the last one in %s is %s old", p.cfg.BackupDir, age)
	}
	return doctor.Good("%d in %s, the last one %s old", len(all), p.cfg.BackupDir, age)
}
