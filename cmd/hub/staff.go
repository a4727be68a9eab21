package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
	"gatehouse/db"
)

// staffCommand is hub staff create.
func staffCommand(ctx context.Context, c call) error {
	if len(c.args) == 0 || c.args[0] != "create" {
		return fmt.Errorf("hub staff knows create alone: %w", errUsage)
	}
	in, err := staffFlags(c)
	if err != nil {
		return err
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL == "" {
		return errors.New("DATABASE_URL is needed to add staff")
	}
	d, err := db.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return err
	}
	defer d.Close()
	keys, err := cfg.openKeys()
	if err != nil {
		return err
	}
	s := &staff.Service{
		Store: &db.Staff{DB: d, Keys: keys}, Hasher: account.NewHasher(), Tries: account.NewTries(signInTries, time.Minute, time.Now), Now: time.Now,
	}
	m, second, err := s.Create(ctx, in, audit.Itself)
	if err != nil {
		return inWords(err)
	}
	_, err = fmt.Fprintf(c.out, "%s is %s now.\n\nShown once: put this into the app for one-time codes.\n  secret  %s\n  link    %s\n",
		m.Email, m.Role, second.Secret, second.URL(m.Email))
	return err
}

// keyPath is where the hub's key lies, unless HUB_KEY_FILE says otherwise.
func keyPath(dir string) string { return filepath.Join(dir, "secret.key") }

// keyFile is the file that holds the hub's key.
func (c *config) keyFile() string {
	if c.KeyFile != "" {
		return c.KeyFile
	}
	return keyPath(c.Dir)
}

// openKeys reads the hub's key. One that the operator names is never made anew: with a new key, nothing that was closed with
// the one that was meant would open.
func (c *config) openKeys() (*db.Keyring, error) {
	if c.KeyFile == "" {
		return db.OpenKeyring(keyPath(c.Dir))
	}
	keys, err := db.ReadKeyring(c.KeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("HUB_KEY_FILE: %w\nPut the key file of this hub there. A hub that never ran gets a new one:\n  "+
			"install -m 600 /dev/null %s && head -c 32 /dev/urandom > %[2]s", err, c.KeyFile)
	}
	return keys, err
}

func staffFlags(c call) (staff.NewMember, error) {
	var in staff.NewMember
	var role string
	f := flag.NewFlagSet("hub staff create", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&in.Email, "email", "", "")
	f.StringVar(&in.Name, "name", "", "")
	f.StringVar(&role, "role", "", "")
	if err := f.Parse(c.args[1:]); err != nil {
		return in, fmt.Errorf("%w: %w", err, errUsage)
	}
	in.Role = staff.Role(strings.ToUpper(role))
	line, err := bufio.NewReader(c.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return in, fmt.Errorf("read password: %w", err)
	}
	in.Password = strings.TrimRight(line, "\r\n")
	return in, nil
}

// inWords puts what does not fit into an error for the terminal.
func inWords(err error) error {
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return err
	}
	lines := []error{errors.New(f.Public)}
	for field, msg := range f.Fields {
		lines = append(lines, fmt.Errorf("  %s: %s", field, msg))
	}
	return errors.Join(lines...)
}
