package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The files in Keeper.Dir.
const (
	// File holds the private key and the chain of the certificate, as web servers read them: one file, so that they always fit.
	File    = "server.pem"
	account = "account.pem"
)

// Keeper keeps the certificate of one name.
type Keeper struct {
	Name      string         // the name that the certificate is for
	Authority string         // URL of the authority's ACME directory
	Dir       string         // where the certificate and the key of the account stand; it is there, and nobody else may read it
	Challenge string         // the folder that the web server hands out as /.well-known/acme-challenge/
	Roots     *x509.CertPool // who vouches for the authority's own address; nil: whom the machine trusts
	Now       func() time.Time
}

// Keep gets a certificate unless there is one that is good for a while, and says whether there is another one now. An error leaves the
// present one as it is.
func (k Keeper) Keep(ctx context.Context) (changed bool, err error) {
	until, err := k.until()
	if err != nil {
		return false, err
	}
	if k.Now().Before(until) {
		return false, nil
	}
	text, err := k.order(ctx)
	if err != nil {
		return false, fmt.Errorf("certificate of %s: %w", k.Name, inWords(err))
	}
	if err := put(filepath.Join(k.Dir, File), text); err != nil {
		return false, fmt.Errorf("keep certificate: %w", err)
	}
	return true, nil
}

// until is how long the certificate needs no renewal; zero when there is none for this name.
func (k Keeper) until() (time.Time, error) {
	text, err := os.ReadFile(filepath.Join(k.Dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look at certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return time.Time{}, nil // whatever it is, it is of no use
	}
	return renewAt(pair.Leaf, k.Name), nil
}

// renewAt is when a third of the certificate's life is left; zero when it is for another name.
func renewAt(c *x509.Certificate, name string) time.Time {
	if c.VerifyHostname(name) != nil {
		return time.Time{}
	}
	return c.NotAfter.Add(-c.NotAfter.Sub(c.NotBefore) / 3)
}

// put writes a file of secrets, which is whole or as it was, also after a power cut.
func put(path string, text []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
