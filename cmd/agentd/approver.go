package main

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/link"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// approverCode is "agentd approver code": only the code goes to the output.
func approverCode(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	file := c.flags.String("key", "", "private key (PKCS #8, PEM) of an enrolled key that vouches for the code; - reads it from the input")
	if err := c.parse(0); err != nil {
		return err
	}
	keys, version, err := enrolled(ctx, *dir)
	if err != nil {
		return err
	}
	if len(keys) > 0 && *file == "" {
		return errors.New("this server has an approver key: add another one in the portal, from a device that has one; or pass --key; or, if all are lost, use the recovery code")
	}
	signer, serverID, err := c.signer(*dir, *file)
	if err != nil {
		return err
	}
	code, err := approver.MakeCode(*dir, serverID, version, signer, time.Now())
	if err != nil {
		return err
	}
	return c.printCode(code, "enrols one approver key within 24 hours; type it into the portal, where it asks for it")
}

// approverRecovery is "agentd approver recovery".
func approverRecovery(_ context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	code, err := approver.MakeRecovery(*dir, time.Now())
	if err != nil {
		return err
	}
	return c.printCode(code, "enrols one approver key when all others are lost; keep it on paper, it is shown this once")
}

// printCode keeps the code apart from the words about it, so that a script can read it.
func (c *call) printCode(code, about string) error {
	if _, err := fmt.Fprintln(c.out, code); err != nil {
		return err
	}
	say(c.errOut, "It "+about+".\n", 0)
	return nil
}

// approverList is "agentd approver list": each key and, at the end, the server's own, with the words to compare.
func approverList(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	keys, _, err := enrolled(ctx, *dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "KEY\tKIND\tWHOSE\tNAME\tENROLLED\tBY\tSIX WORDS") // Flush says what went wrong
	for _, k := range keys {
		der, err := base64.RawURLEncoding.DecodeString(k.SPKI)
		if err != nil {
			return fmt.Errorf("key %s: %w", k.KeyID, err)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			k.KeyID, k.Kind, k.Holder, k.Label, k.CreatedAt.Format(time.RFC3339), k.AddedBy, wire.Words(der))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	id, err := link.LoadIdentity(*dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // before it first tries to register a server has no key of its own
	}
	if err != nil {
		return err
	}
	words := wire.Words(id.Key.Public().(ed25519.PublicKey))
	_, err = fmt.Fprintf(c.out, "\nThis server signs its cards with a key whose six words are:  %s\n", words)
	return err
}

// enrolled reads the keys and the version of the configuration; none where there is no database yet.
func enrolled(ctx context.Context, dir string) (keys []wire.ApproverKey, version int64, err error) {
	db, err := store.OpenReader(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = db.Close() }() // nothing is lost with it
	if keys, err = approver.List(ctx, db); err != nil {
		return nil, 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT version FROM config WHERE id = 1").Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return keys, version, err
}

// signer reads the key that vouches, and the server that it vouches on; nil without a file.
func (c *call) signer(dir, file string) (*wire.Signer, string, error) {
	if file == "" {
		return nil, "", nil
	}
	id, err := link.LoadIdentity(dir)
	if err != nil {
		return nil, "", err
	}
	read := func() ([]byte, error) { return os.ReadFile(file) }
	if file == "-" {
		read = func() ([]byte, error) { return io.ReadAll(io.LimitReader(c.in, 16<<10)) }
	}
	text, err := read()
	if err != nil {
		return nil, "", fmt.Errorf("read the key that vouches: %w", err)
	}
	s, err := wire.ReadSigner(string(text))
	return &s, id.ServerID, err
}
