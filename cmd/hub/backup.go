package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"filippo.io/age"

	"gatehouse/db"
	"gatehouse/db/backup"
)

// backupFaults says what is wrong with the keys that backups are encrypted to.
func (c *config) backupFaults() []error {
	if _, err := c.recipients(); err != nil {
		return []error{err}
	}
	return nil
}

// recipients are who can open backups.
func (c *config) recipients() ([]age.Recipient, error) {
	if len(c.BackupTo) == 0 {
		return nil, nil
	}
	all, err := age.ParseRecipients(strings.NewReader(strings.Join(c.BackupTo, "\n")))
	if err != nil {
		return nil, fmt.Errorf("HUB_BACKUP_RECIPIENTS: each is a public key like age1…, as age-keygen prints it: %w", err)
	}
	return all, nil
}

// backupFlags is how hub backup was called.
type backupFlags struct {
	to         string
	keep       int
	passphrase bool
}

// backupCommand is hub backup.
func backupCommand(ctx context.Context, c call) error {
	var in backupFlags
	f := quietFlags("hub backup")
	f.StringVar(&in.to, "to", "", "")
	f.IntVar(&in.keep, "keep", 0, "")
	f.BoolVar(&in.passphrase, "passphrase", false, "")
	if err := f.Parse(c.args); err != nil || f.NArg() > 0 || in.keep < 0 {
		return fmt.Errorf("hub backup [--to DIR] [--keep N] [--passphrase]: %w", errUsage)
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	o, err := in.options(cfg, c.in)
	if err != nil {
		return err
	}
	w, err := backup.Write(ctx, o)
	if err != nil {
		return fmt.Errorf("%w\nNo backup was made; what is in %s is as it was", err, o.Dir)
	}
	fmt.Fprintf(c.out, "%s\n%d rows of %d tables, schema %04d, %d bytes, encrypted together with the key file.\n",
		w.Path, w.Total(), len(w.Rows), w.Migrations[len(w.Migrations)-1].Version, w.Bytes)
	for _, old := range w.Removed {
		fmt.Fprintf(c.out, "removed %s\n", filepath.Base(old))
	}
	return nil
}

func (in backupFlags) options(cfg config, stdin io.Reader) (backup.WriteOptions, error) {
	o := backup.WriteOptions{
		DSN: cfg.DatabaseURL, KeyFile: cfg.keyFile(), Dir: in.to, Keep: in.keep, Program: programVersion(), Now: time.Now(),
	}
	if o.Dir == "" {
		o.Dir = cfg.BackupDir
	}
	var err error
	switch {
	case cfg.DatabaseURL == "":
		return o, errors.New("DATABASE_URL is needed to back up")
	case o.Dir == "":
		return o, errors.New("where to? Say --to DIR, or set HUB_BACKUP_DIR")
	case in.passphrase:
		o.Recipients, err = passphraseRecipient(stdin)
	default:
		o.Recipients, err = cfg.recipients()
	}
	if err == nil && len(o.Recipients) == 0 {
		err = errors.New("who may open the backup? Make a key on another machine with age-keygen and put its public half into " +
			"HUB_BACKUP_RECIPIENTS; or say --passphrase and write one to standard input")
	}
	return o, err
}

// restoreFlags is how hub restore was called.
type restoreFlags struct {
	from, identity             string
	passphrase, check, replace bool
}

// restoreCommand is hub restore.
func restoreCommand(ctx context.Context, c call) error {
	var in restoreFlags
	f := quietFlags("hub restore")
	f.StringVar(&in.from, "from", "", "")
	f.StringVar(&in.identity, "identity", "", "")
	f.BoolVar(&in.passphrase, "passphrase", false, "")
	f.BoolVar(&in.check, "check", false, "")
	f.BoolVar(&in.replace, "replace", false, "")
	if err := f.Parse(c.args); err != nil || f.NArg() > 0 || in.from == "" || (in.identity == "") != in.passphrase {
		return fmt.Errorf("hub restore --from FILE --identity FILE|--passphrase [--check] [--replace]: %w", errUsage)
	}
	identities, err := in.identities(c.in)
	if err != nil {
		return err
	}
	if in.check {
		m, err := backup.Check(in.from, identities)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.out, "Whole: taken %s, %d rows of %d tables, schema %04d. Nothing was restored.\n",
			m.Made.Format(time.RFC3339), m.Total(), len(m.Rows), m.Migrations[len(m.Migrations)-1].Version)
		return nil
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL == "" {
		return errors.New("DATABASE_URL is needed to restore")
	}
	m, err := backup.Restore(ctx, backup.RestoreOptions{
		DSN: cfg.DatabaseURL, KeyFile: cfg.keyFile(), File: in.from, Identities: identities, Replace: in.replace,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "Restored what was there at %s: %d rows of %d tables, each counted. The key file is %s.\n",
		m.Made.Format(time.RFC3339), m.Total(), len(m.Rows), cfg.keyFile())
	fmt.Fprintf(c.out, "No server of an ended order is released within the next %d days. Look through the ended orders before that: "+
		"the hub no longer knows who took the end back after the backup. Keep those again.\n", backup.GraceDays)
	if err := db.Check(ctx, cfg.DatabaseURL); errors.Is(err, db.ErrBehind) {
		fmt.Fprintln(c.out, "It was made by an older program. Run: hub migrate")
	}
	return nil
}

func (in restoreFlags) identities(stdin io.Reader) ([]age.Identity, error) {
	if in.passphrase {
		word, err := readPassphrase(stdin)
		if err != nil {
			return nil, err
		}
		id, err := age.NewScryptIdentity(word)
		return []age.Identity{id}, err
	}
	f, err := os.Open(in.identity)
	if err != nil {
		return nil, fmt.Errorf("--identity: %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	ids, err := age.ParseIdentities(f)
	if err != nil {
		return nil, fmt.Errorf("--identity %s is no key file of age-keygen: %w", in.identity, err)
	}
	return ids, nil
}

// minPassphrase is the least that a stolen file should be up against, in characters.
const minPassphrase = 16

func passphraseRecipient(stdin io.Reader) ([]age.Recipient, error) {
	word, err := readPassphrase(stdin)
	if err != nil {
		return nil, err
	}
	if len([]rune(word)) < minPassphrase {
		return nil, fmt.Errorf("the passphrase has fewer than %d characters: whoever gets the file can try many", minPassphrase)
	}
	r, err := age.NewScryptRecipient(word)
	return []age.Recipient{r}, err
}

func readPassphrase(stdin io.Reader) (string, error) {
	line, err := bufio.NewReader(stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read passphrase: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("--passphrase: write it to standard input, on one line")
	}
	return line, nil
}

// programVersion is what this program was built from.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return info.Main.Version
}

// quietFlags are flags whose mistakes the caller puts into words.
func quietFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}
